using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Merging;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Caching;

/// <summary>Copies of merged values beside truncation: a copy ends when its oldest delta is truncated.</summary>
public sealed class MergedCopyTests
{
    private const long Keys = 100;

    private static readonly StoreOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(4), ExpectedKeys = 20_000,
    };

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(200), PreemptionBound = 3 };

    [Theory]
    [InlineData(0)]
    [InlineData(0.75)]
    public async Task The_rest_of_a_value_is_made_of_its_remaining_parts(double cache)
    {
        await using FasterStore store = await FasterStore.OpenAsync(
            null, Small with { ReadCacheFraction = cache, Device = new MemoryDevice() }, CounterOperations.Schema,
            default);
        using FasterSession session = store.StartSession();
        var ends = new List<long>();
        for (long key = 1; key <= Keys; key++) session.Put(-key, 1000);
        for (int part = 0; part < 3; part++)
        {
            Spill(session);
            ends.Add(store.Statistics.TailAddress); // a whole value, or a part, lies in the pages below
            for (long key = 1; key <= Keys; key++) Assert.Equal(Status.Ok, session.Merge(-key, 1 << part));
        }

        Spill(session);
        long expected = 1007;
        for (int given = 0; ; given++)
        {
            for (int round = 0; round < 3; round++)
                for (long key = 1; key <= Keys; key++) Assert.Equal(expected, session.Total(-key));
            if (given == ends.Count) break;
            await store.TruncateAsync(ends[given]);
            expected -= given == 0 ? 1000 : 1 << (given - 1);
        }

        Assert.Equal(cache != 0, store.Statistics.ReadCacheHits > Keys);
        for (long key = 1; key <= Keys; key++) _ = session.Merge(-key, 50);
        for (long key = 1; key <= Keys; key++) Assert.Equal(54, session.Total(-key));
        Assert.Null(store.Statistics.LastFault);
    }

    [Fact]
    public void A_merged_copy_is_not_read_when_its_oldest_part_has_gone() =>
        Explorer.Run(Options, TruncateBesideReads).AssertClean();

    [Fact]
    public void A_merged_copy_that_is_read_below_the_begin_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.CachedIgnoresBegin], Schedules = 5000 }, TruncateBesideReads)
        .AssertFound("Actual:   101");

    // 100 in the first page and a part in a later one, both on disk.
    private static Scenario TruncateBesideReads()
    {
        var store = new ScheduledStore<MergedWordShape>(RecordAllocatorKind.Hybrid, 4, cached: true);
        store.Put(0, 1, 100);
        store.Spill();
        store.Add(0, 1, 1);
        store.Spill();
        Assert.Equal(1, store.Deltas);
        for (int i = 0; i < 2; i++) Assert.Equal(101, store.Get(0, 1));
        Assert.True(store.CacheHits > 0, "No copy was made.");
        return new Scenario(
            [
                () =>
                {
                    store.RaiseBegin();
                    Assert.Equal(1, store.Get(0, 1));
                },
                () => Assert.Contains(store.Get(1, 1), new long?[] { 101, 1 }),
                () =>
                {
                    long before = store.Get(2, 1)!.Value, after = store.Get(2, 1)!.Value;
                    Assert.True(before >= after, $"{before} has become {after}.");
                },
            ],
            () =>
            {
                Assert.Equal(1, store.Get(3, 1));
                store.Dispose();
            });
    }

    // Puts so many other records behind that all before are on disk.
    private static void Spill(FasterSession session)
    {
        for (long key = 0; key < 40_000; key++) session.Put(key, 0);
    }
}
