using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Caching;

/// <summary>
/// The read cache beside what gives the log's oldest part up, under controlled schedules: compaction, truncation, the
/// removal of entries that lead nowhere, deletion.
/// </summary>
/// <remarks>Two records fill a page; the two that tests begin with fill the first one, which is on disk.</remarks>
public sealed class CacheUpkeepScheduleTests
{
    private const long First = 64, Second = First + 2016;

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(200), PreemptionBound = 3 };

    private static readonly long[] Neighbours = KeysOfOneTag.In(1, 0, 0);

    [Fact]
    public void A_copy_neither_keeps_compaction_from_its_record_nor_outlives_an_update()
    {
        Explorer.Run(Options, () => CompactBesideReads(update: false)).AssertClean();
        Explorer.Run(Options, () => CompactBesideReads(update: true)).AssertClean();
    }

    [Theory]
    [InlineData(SeededBug.CompactionTrustsCached)]
    [InlineData(SeededBug.CopyWithoutRecheck)]
    [InlineData(SeededBug.FillWithoutProof)]
    internal void A_bug_between_copies_and_compaction_is_found(SeededBug bug) =>
        AssertFound(bug, () => CompactBesideReads(update: true), "Values differ", "Value not in range");

    [Fact]
    public void A_copy_of_a_truncated_record_is_none()
    {
        Explorer.Run(Options, TruncateBesideReads).AssertClean();
        Explorer.Run(Options, WriteBesideRemoval).AssertClean();
    }

    [Fact]
    public void A_copy_that_is_read_below_the_begin_is_found() =>
        AssertFound(SeededBug.CachedIgnoresBegin, TruncateBesideReads, "Assert.Null() Failure");

    [Fact]
    public void An_entry_goes_only_when_the_chain_behind_its_copies_is_dead() =>
        Explorer.Run(Options, NeighbourBesideRemoval).AssertClean();

    [Fact]
    public void A_removal_that_stops_at_the_copies_is_found() =>
        AssertFound(SeededBug.RemovalIgnoresCached, NeighbourBesideRemoval, "Values differ");

    [Fact]
    public void A_deleted_key_comes_back_neither_from_a_copy_nor_by_compaction() =>
        Explorer.Run(Options, DeleteBesideCompaction).AssertClean();

    [Theory]
    [InlineData(SeededBug.FillWithoutProof)]
    [InlineData(SeededBug.WriteKeepsCached)]
    internal void A_copy_of_what_is_deleted_is_found(SeededBug bug) =>
        AssertFound(bug, DeleteBesideCompaction, "after the deletion", "Assert.Null() Failure");

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 5000 }, scenario).AssertFound(how);

    private static Scenario CompactBesideReads(bool update)
    {
        ScheduledStore<HalfPageShape> store = Loaded(1, 2);
        bool added = false;
        return new Scenario(
            [
                () => Compact(store),
                () =>
                {
                    for (int i = 0; i < 2; i++)
                    {
                        long least = added ? 11 : 10;
                        Assert.InRange(store.Get(1, 1) ?? 0, least, 11);
                    }
                },
                () =>
                {
                    Assert.Equal(20, store.Get(2, 2));
                    if (!update) return;
                    store.Add(2, 1, 1);
                    added = true;
                    Assert.Equal(11, store.Get(2, 1));
                },
            ],
            () => CheckAndDispose(store, (1, update ? 11 : 10), (2, 20)));
    }

    private static Scenario TruncateBesideReads()
    {
        ScheduledStore<HalfPageShape> store = Loaded(1, 2);
        return new Scenario(
            [
                () =>
                {
                    store.RaiseBegin();
                    Assert.Null(store.Get(0, 1));
                },
                () =>
                {
                    for (int i = 0; i < 2; i++) Assert.Contains(store.Get(1, 1), new long?[] { null, 10 });
                },
                () =>
                {
                    Assert.Contains(store.Get(2, 2), new long?[] { null, 20 });
                    store.Put(2, 2, 30);
                },
            ],
            () =>
            {
                Assert.Null(store.Get(0, 1));
                Assert.False(store.HasEntry(1), "The entry still leads to a copy of what was truncated.");
                CheckAndDispose(store, (1, null), (2, 30));
            });
    }

    // The entry leads to a copy, and the chain behind it lies below the begin.
    private static Scenario WriteBesideRemoval()
    {
        ScheduledStore<HalfPageShape> store = Loaded(1, 2);
        for (long key = 1; key <= 2; key++) Assert.Equal(key * 10, store.Get(0, key));
        store.RaiseBegin();
        return new Scenario(
            [
                () => Assert.Contains(store.Get(0, 1), new long?[] { null, 50 }),
                () => store.Add(1, 1, 50),
                () => Assert.Equal(Status.NotFound, store.Remove(2, 2)),
            ],
            () => CheckAndDispose(store, (1, 50), (2, null)));
    }

    // One entry: a copy of a key that is truncated, and behind it another key, which is in memory.
    private static Scenario NeighbourBesideRemoval()
    {
        long gone = Neighbours[0], stays = Neighbours[1];
        ScheduledStore<HalfPageShape> store = Loaded(gone, 2);
        store.Put(0, stays, 40);
        return new Scenario(
            [
                () =>
                {
                    store.RaiseBegin();
                    Assert.Null(store.Get(0, gone));
                },
                () =>
                {
                    for (int i = 0; i < 2; i++) Assert.Contains(store.Get(1, gone), new long?[] { null, 10 });
                },
                () => Assert.Equal(40, store.Get(2, stays)),
            ],
            () => CheckAndDispose(store, (gone, null), (stays, 40)));
    }

    private static Scenario DeleteBesideCompaction()
    {
        ScheduledStore<HalfPageShape> store = Loaded(1, 2);
        bool removed = false;
        return new Scenario(
            [
                () => Compact(store),
                () =>
                {
                    for (int i = 0; i < 2; i++)
                    {
                        bool gone = removed;
                        long? value = store.Get(1, 1);
                        Assert.True(value is null || (value == 10 && !gone), $"{value} after the deletion");
                    }
                },
                () =>
                {
                    Assert.Equal(Status.Ok, store.Remove(2, 1));
                    removed = true;
                    Assert.Null(store.Get(2, 1));
                },
            ],
            () => CheckAndDispose(store, (1, null), (2, 20)));
    }

    private static void Compact(ScheduledStore<HalfPageShape> store)
    {
        store.Copy(0, 1, First, Value(10));
        store.Copy(0, 2, Second, Value(20));
        store.RaiseBegin();
    }

    private static ScheduledStore<HalfPageShape> Loaded(long first, long second)
    {
        var store = new ScheduledStore<HalfPageShape>(RecordAllocatorKind.Hybrid, 3, cached: true, frozen: false);
        store.Put(0, first, 10);
        store.Put(0, second, 20);
        store.ShiftReadOnly();
        store.PushHead();
        return store;
    }

    private static byte[] Value(long number)
    {
        byte[] value = new byte[HalfPageShape.ValueSize];
        ProbedValue.Write(value, number);
        return value;
    }

    private static void CheckAndDispose(ScheduledStore<HalfPageShape> store, params (long Key, long? Value)[] expected)
    {
        foreach ((long key, long? value) in expected) Assert.Equal(value, store.Get(0, key));
        store.Dispose();
    }
}
