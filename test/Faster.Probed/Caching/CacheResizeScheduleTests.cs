using Faster.Contracts;
using Faster.Index.Resizing;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Caching;

/// <summary>
/// Copies in chains that are split and merged under controlled schedules: they may go, the chains behind them may not.
/// </summary>
/// <remarks>Two records fill a page, and four pages a log; two keys of one tag share an entry, or are to.</remarks>
public sealed class CacheResizeScheduleTests
{
    private const int Others = 14; // so many that eight of them are on disk

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(200), PreemptionBound = 3 };

    private static readonly long[] Pair = KeysOfOneTag.In(2, 0, 1);

    [Fact]
    public void A_split_leads_past_the_copies() => Explorer.Run(Options, Grow).AssertClean();

    [Fact]
    public void A_half_that_keeps_the_copies_is_found() =>
        AssertFound(SeededBug.SplitKeepsCached, Grow, "Values differ", "Value not in range");

    [Fact]
    public void A_merge_joins_the_chains_behind_the_copies()
    {
        Explorer.Run(Options, () => Shrink(thenGrow: false)).AssertClean();
        Explorer.Run(Options, () => Shrink(thenGrow: true)).AssertClean();
    }

    [Fact]
    public void A_merge_that_keeps_one_chain_for_its_copies_is_found() =>
        AssertFound(SeededBug.JoinKeepsCached, () => Shrink(thenGrow: false), "Values differ", "Value not in range");

    [Fact]
    public void A_chain_that_is_merged_with_none_keeps_copies_that_can_be_evicted() =>
        Explorer.Run(Options, ShrinkAlone).AssertClean();

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 3000 }, scenario).AssertFound(how);

    private static Scenario Grow()
    {
        ScheduledStore<HalfPageShape> store = Spilled(buckets: 1, Pair);
        return new Scenario(
            [
                () => store.Resize(0, ResizeKind.Split),
                () => ReadPair(store, 1, 100, 200),
                () =>
                {
                    Assert.Equal(200, store.Get(2, Pair[1]));
                    store.Add(2, Pair[1], 1);
                    Assert.Equal(201, store.Get(2, Pair[1]));
                },
            ],
            () => CheckAndDispose(store, (Pair[0], 100), (Pair[1], 201)));
    }

    private static Scenario Shrink(bool thenGrow)
    {
        ScheduledStore<HalfPageShape> store = Spilled(buckets: 2, Pair);
        return new Scenario(
            [
                () =>
                {
                    store.Resize(0, ResizeKind.Join);
                    if (thenGrow) store.Resize(0, ResizeKind.Split);
                },
                () => ReadPair(store, 1, 100, 200),
                () =>
                {
                    Assert.Equal(100, store.Get(2, Pair[0]));
                    store.Put(2, Pair[1], 201);
                    Assert.Equal(201, store.Get(2, Pair[1]));
                },
            ],
            () => CheckAndDispose(store, (Pair[0], 100), (Pair[1], 201)));
    }

    private static Scenario ShrinkAlone()
    {
        ScheduledStore<HalfPageShape> store = Spilled(buckets: 2, Pair[0]);
        Assert.Equal(100, store.Get(0, Pair[0]));
        return new Scenario(
            [
                () => store.Resize(0, ResizeKind.Join),
                () =>
                {
                    for (long key = 1; key <= 4; key++) Assert.Equal(key, store.Get(1, key));
                },
                () =>
                {
                    Assert.Equal(100, store.Get(2, Pair[0]));
                    Assert.Null(store.Get(2, Pair[1]));
                },
            ],
            () => CheckAndDispose(store, (Pair[0], 100), (Pair[1], null)));
    }

    private static void ReadPair(ScheduledStore<HalfPageShape> store, int session, long first, long second)
    {
        for (int i = 0; i < 2; i++)
        {
            Assert.Equal(first, store.Get(session, Pair[0]));
            Assert.InRange(store.Get(session, Pair[1]) ?? 0, second, second + 1);
        }
    }

    private static ScheduledStore<HalfPageShape> Spilled(long buckets, params long[] keys)
    {
        var store = new ScheduledStore<HalfPageShape>(
            RecordAllocatorKind.Hybrid, 3, cached: true, frozen: false, buckets: buckets);
        for (int i = 0; i < keys.Length; i++) store.Put(0, keys[i], (i + 1) * 100);
        for (long key = 1; key <= Others; key++) store.Put(0, key, key);
        return store;
    }

    // The reads of others evict every copy that there is, twice over.
    private static void CheckAndDispose(ScheduledStore<HalfPageShape> store, params (long Key, long? Value)[] expected)
    {
        for (int round = 0; round < 2; round++)
        {
            foreach ((long key, long? value) in expected) Assert.Equal(value, store.Get(0, key));
            for (long key = 1; key <= Others; key++) Assert.Equal(key, store.Get(0, key));
        }

        store.Dispose();
    }
}
