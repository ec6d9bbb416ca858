using Faster.Contracts;
using Faster.Engines.HotRing;
using Faster.Tests.Operations;

namespace Faster.Tests.Engines.HotRing.Rehash;

/// <summary>The index grows by itself, and stays within the budget.</summary>
public sealed class RingIndexTests
{
    private static readonly RecordSchema Schema = new(8, 8, 8, "key", "number");

    [Fact]
    public void A_small_index_grows_with_its_keys_and_loses_none()
    {
        const int Count = 50_000;
        using var store = new HotRingStore(new HotRingOptions { Buckets = 16 }, Schema);
        using HotRingSession session = store.StartSession();
        for (long key = 0; key < Count; key++)
        {
            var put = new ProbedOperations.Put<SwapShape>(key, 8);
            _ = session.Upsert(new UnmanagedKey<long>(key), ref put);
        }

        for (int round = 0; round < 20; round++)
        {
            for (long key = 0; key < Count; key++)
            {
                var get = default(ProbedOperations.Get<SwapShape>);
                Assert.Equal(Status.Ok, session.Read(new UnmanagedKey<long>(key), ref get));
                Assert.Equal(key, get.Value);
            }
        }

        Assert.True(store.Index.Rehashes > 5, $"{store.Index.Rehashes} rehashes");
        Assert.Equal(Count, store.Statistics.Records);
        Assert.Null(store.Statistics.LastFault);
    }

    [Fact]
    public void Memory_that_is_used_up_is_an_error_and_deletions_help()
    {
        using var store = new HotRingStore(
            new HotRingOptions { MemoryBudget = HotRingOptions.MinMemoryBudget }, Schema);
        using HotRingSession session = store.StartSession();
        long count = 0;
        void Fill()
        {
            for (; count < 1_000_000; count++)
            {
                var put = new ProbedOperations.Put<SwapShape>(count, 8);
                _ = session.Upsert(new UnmanagedKey<long>(count), ref put);
            }
        }

        Assert.Throws<LimitExceededException>(Fill);
        Assert.True(count > 5000, $"{count} records");
        for (int round = 0; round < 3; round++)
        {
            for (long key = 0; key < count; key++)
            {
                var remove = default(ProbedOperations.Remove<SwapShape>);
                Assert.Equal(Status.Ok, session.Delete(new UnmanagedKey<long>(key), ref remove));
                var put = new ProbedOperations.Put<SwapShape>(key, 8);
                _ = session.Upsert(new UnmanagedKey<long>(key), ref put);
            }
        }

        Assert.Equal(count, store.Statistics.Records);
    }
}
