using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Caching;

/// <summary>The read cache under controlled schedules: copies made, used, replaced and evicted at once.</summary>
/// <remarks>Two records fill a page, and four pages a log: all but the last six or so are on disk.</remarks>
public sealed class CacheScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(200), PreemptionBound = 3 };

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void No_update_is_lost_beside_reads_that_are_cached(bool oneChain) =>
        Explorer.Run(Options, () => UpdateBesideReads(oneChain)).AssertClean();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void No_update_is_lost_beside_evictions(bool oneChain) =>
        Explorer.Run(Options, () => UpdateBesideEvictions(oneChain)).AssertClean();

    [Fact]
    public void No_write_is_lost_beside_an_eviction() => Explorer.Run(Options, WriteBesideEviction).AssertClean();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Reads_stand_on_copies_that_are_evicted(bool oneChain) =>
        Explorer.Run(Options, () => ReadBesideEvictions(oneChain)).AssertClean();

    [Fact]
    public void A_deleted_key_does_not_come_back_from_the_cache() =>
        Explorer.Run(Options, DeleteBesideReads).AssertClean();

    [Fact]
    public void A_copy_of_what_is_not_the_newest_record_is_found() =>
        AssertFound(
            SeededBug.FillWithoutProof, () => UpdateBesideReads(oneChain: false), "Values differ",
            "Value not in range");

    [Fact]
    public void A_cached_prefix_that_outlives_a_write_is_found() =>
        AssertFound(
            SeededBug.WriteKeepsCached, () => UpdateBesideReads(oneChain: false), "Values differ",
            "Value not in range");

    [Theory]
    [InlineData(SeededBug.EvictWithoutRelink)]
    [InlineData(SeededBug.EvictWithoutEpoch)]
    internal void An_eviction_under_readers_is_found(SeededBug bug) =>
        AssertFound(bug, () => ReadBesideEvictions(oneChain: false), "Values differ", "Half of an update was seen");

    [Fact]
    public void An_eviction_that_undoes_an_update_is_found() =>
        AssertFound(SeededBug.RelinkWithoutCompare, WriteBesideEviction, "Values differ");

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 3000 }, scenario).AssertFound(how);

    private static ScheduledStore<HalfPageShape> Spilled(int sessions, bool oneChain, int keys = 12)
    {
        var store = new ScheduledStore<HalfPageShape>(RecordAllocatorKind.Hybrid, sessions, cached: true, oneChain);
        for (long key = 1; key <= keys; key++) store.Put(0, key, key * 100);
        return store;
    }

    private static Scenario UpdateBesideReads(bool oneChain)
    {
        ScheduledStore<HalfPageShape> store = Spilled(3, oneChain);
        return new Scenario(
            [
                () =>
                {
                    for (int i = 0; i < 3; i++) Assert.InRange(store.Get(0, 1) ?? 0, 100, 103);
                },
                () =>
                {
                    Assert.InRange(store.Get(1, 1) ?? 0, 100, 102);
                    store.Add(1, 1, 1);
                    Assert.InRange(store.Get(1, 1) ?? 0, 101, 103);
                },
                () =>
                {
                    store.Add(2, 1, 2);
                    store.Put(2, 2, 222);
                    Assert.Equal(222, store.Get(2, 2));
                },
            ],
            () => CheckAndDispose(store, (1, 103), (2, 222)));
    }

    // Key 1 is the oldest copy: each read of another key may evict it.
    private static Scenario UpdateBesideEvictions(bool oneChain)
    {
        ScheduledStore<HalfPageShape> store = Spilled(3, oneChain);
        for (long key = 1; key <= 4; key++) store.Get(0, key);
        return new Scenario(
            [
                () =>
                {
                    for (long key = 5; key <= 6; key++) Assert.Equal(key * 100, store.Get(0, key));
                },
                () =>
                {
                    store.Add(1, 1, 1);
                    store.Add(1, 2, 1);
                },
                () =>
                {
                    Assert.InRange(store.Get(2, 1) ?? 0, 100, 101);
                    Assert.InRange(store.Get(2, 2) ?? 0, 200, 201);
                },
            ],
            () => CheckAndDispose(store, (1, 101), (2, 201), (5, 500), (6, 600)));
    }

    // The next copy evicts those of keys 1 and 2; a blind write does not look at them, so they get no second chance.
    private static Scenario WriteBesideEviction()
    {
        ScheduledStore<HalfPageShape> store = Spilled(2, oneChain: false);
        for (long key = 1; key <= 5; key++) store.Get(0, key);
        return new Scenario(
            [() => Assert.Equal(600, store.Get(0, 6)), () => store.Put(1, 1, 111)],
            () => CheckAndDispose(store, (1, 111), (2, 200), (6, 600)));
    }

    private static Scenario ReadBesideEvictions(bool oneChain)
    {
        const int Keys = 16;
        ScheduledStore<HalfPageShape> store = Spilled(3, oneChain, Keys);
        for (long key = 1; key <= 6; key++) store.Get(0, key);
        void ReadAll(int session, IEnumerable<long> keys)
        {
            foreach (long key in keys) Assert.Equal(key * 100, store.Get(session, key));
        }

        return new Scenario(
            [
                () => ReadAll(0, [7, 8, 9, 1]),
                () => ReadAll(1, [1, 2, 3]),
                () => ReadAll(2, [10, 2, 4]),
            ],
            () => CheckAndDispose(store, [.. Enumerable.Range(1, Keys).Select(static key => ((long)key, key * 100L))]));
    }

    private static Scenario DeleteBesideReads()
    {
        ScheduledStore<HalfPageShape> store = Spilled(3, oneChain: true);
        bool removed = false;
        return new Scenario(
            [
                () =>
                {
                    for (int i = 0; i < 2; i++)
                    {
                        bool gone = removed;
                        long? value = store.Get(0, 1);
                        Assert.True(value == (gone ? null : 100) || value is null, $"{value} after the deletion");
                    }
                },
                () =>
                {
                    Assert.Equal(Status.Ok, store.Remove(1, 1));
                    removed = true;
                    Assert.Null(store.Get(1, 1));
                },
                () => Assert.Equal(200, store.Get(2, 2)),
            ],
            () => CheckAndDispose(store, (1, null), (2, 200)));
    }

    private static void CheckAndDispose(ScheduledStore<HalfPageShape> store, params (long Key, long? Value)[] expected)
    {
        foreach ((long key, long? value) in expected) Assert.Equal(value, store.Get(0, key));
        store.Dispose();
    }
}
