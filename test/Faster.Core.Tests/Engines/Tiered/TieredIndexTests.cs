using Faster.Contracts;
using Faster.Engines.Tiered;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Engines.Tiered;

/// <summary>The hot index of a store whose keys come and go.</summary>
public sealed class TieredIndexTests
{
    private const int Keys = 60_000, Writes = 160_000;

    [Fact]
    public async Task It_takes_memory_for_the_keys_that_it_has_not_for_all_that_it_ever_had()
    {
        var options = new TieredOptions
        {
            MemoryBudget = ByteSize.MiB(4), HotLogSize = ByteSize.KiB(256), ExpectedHotKeys = 20_000,
            ReadCacheFraction = 0,
        };
        await using var store = new TieredStore(TieredPlan.For(options, Schema));
        using TieredSession session = store.StartSession();
        long bytes = store.Hot.Index.Bytes, buckets = store.Hot.Index.BucketCount;
        var random = new Random(20261126);
        for (int write = 0; write < Writes; write++)
        {
            var upsert = new Upsert(write);
            _ = session.Upsert(new UnmanagedKey<long>(random.Next(Keys)), ref upsert);
        }

        Assert.True(store.Statistics.HotCompactions >= 20, store.Statistics.ToString());
        Assert.Equal(buckets, store.Hot.Index.BucketCount);
        Assert.InRange(store.Hot.Index.OverflowBuckets, 1, buckets / 6); // 3 in 10 where no chain is trimmed
        Assert.InRange(store.Hot.Index.Bytes, bytes, bytes * 6 / 5); // 1 in 8 more where a step waits for its core
        Assert.Null(store.Statistics.LastFault);
    }
}
