using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Caching;

/// <summary>A whole store with a read cache.</summary>
public sealed class ReadCacheTests
{
    private static readonly StoreOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), PageSize = ByteSize.KiB(4), ReadCacheFraction = 0.75,
    };

    [Fact]
    public async Task A_record_that_is_read_again_does_not_come_from_disk_again()
    {
        const int Keys = 200_000; // 24 bytes each
        await using FasterStore store = await Open(Small);
        using FasterSession session = Load(store, Keys);
        Assert.Equal(0, store.Statistics.ReadCacheBytes);
        BeginCache(store, session);
        for (long key = 0; key < 100; key++) Assert.Equal(key * 3, session.Get(key));
        StoreStatistics before = store.Statistics;
        for (long key = 0; key < 100; key++) Assert.Equal(key * 3, session.Get(key));
        StoreStatistics after = store.Statistics;
        Assert.Equal(before.DiskReads, after.DiskReads);
        Assert.Equal(100, after.ReadCacheHits - before.ReadCacheHits);
        Assert.Equal(before.ReadCacheMisses, after.ReadCacheMisses);
    }

    [Fact]
    public async Task An_update_of_a_cached_record_reads_nothing_and_replaces_the_copy()
    {
        await using FasterStore store = await Open(Small);
        using FasterSession session = Load(store, 200_000);
        BeginCache(store, session);
        for (long key = 0; key < 4; key++) _ = session.Get(key);
        long reads = store.Statistics.DiskReads;
        session.AddTo(0, 5);
        session.Put(1, 7);
        Assert.Equal(Status.Ok, session.Remove(2));
        Assert.Equal(5, session.Get(0));
        Assert.Equal(7, session.Get(1));
        Assert.Null(session.Get(2));
        Assert.Equal(9, session.Get(3));
        Assert.Equal(reads, store.Statistics.DiskReads);
    }

    [Fact]
    public async Task A_store_that_only_writes_or_fits_into_memory_gives_nothing_away()
    {
        await using FasterStore store = await Open(Small);
        using FasterSession session = Load(store, 200_000);
        for (long key = 0; key < 200_000; key += 100) session.AddTo(key, 1); // reads from disk, but for updates
        Assert.Equal(0, store.Statistics.ReadCacheBytes);
        Assert.True(store.Statistics.ReadCacheMisses > 1000);
    }

    [Fact]
    public async Task Records_leave_memory_for_copies_and_not_for_empty_pages()
    {
        const int Keys = 200_000, Hot = 40_000;
        await using FasterStore store = await Open(Small);
        using FasterSession session = Load(store, Keys);
        long loaded = store.Statistics.LogBytesInMemory, least = long.MaxValue;
        var random = new Random(7);
        for (int i = 0; i < 40_000; i++)
        {
            _ = session.Get(random.Next(Hot));
            if (i % 100 != 0) continue;
            StoreStatistics now = store.Statistics;
            least = Math.Min(least, now.LogBytesInMemory + now.ReadCacheBytes);
        }

        // All but the pages that the cache begins with, and those that it keeps free.
        Assert.True(store.Statistics.ReadCacheBytes > loaded / 2, $"{store.Statistics.ReadCacheBytes} of {loaded}");
        Assert.True(least > loaded / 4 * 3, $"{least} of {loaded}");
    }

    [Fact]
    public async Task Memory_goes_back_to_the_log_when_updates_can_use_it()
    {
        const int Keys = 200_000, Hot = 20_000;
        await using FasterStore store = await Open(Small);
        using FasterSession session = Load(store, Keys);
        var random = new Random(5);
        for (int i = 0; i < 300_000; i++) _ = session.Get(random.Next(Hot));
        long cached = store.Statistics.ReadCacheBytes;
        for (int i = 0; i < 1_000_000; i++) session.Put(Hot + random.Next(Hot * 4), 1);
        Assert.True(store.Statistics.ReadCacheBytes < cached / 2, $"{cached} before, {store.Statistics} now");
        for (long key = 0; key < Hot; key++) Assert.Equal(key * 3, session.Get(key));
    }

    // The first copies wait until the log has released some of its memory.
    private static void BeginCache(FasterStore store, FasterSession session)
    {
        for (long key = 1000; store.Statistics.ReadCacheBytes < 100; key++) _ = session.Get(key);
    }

    private static FasterSession Load(FasterStore store, int keys)
    {
        FasterSession session = store.StartSession();
        for (long key = 0; key < keys; key++) session.Put(key, key * 3);
        return session;
    }

    private static async Task<FasterStore> Open(StoreOptions options) =>
        await FasterStore.OpenAsync(
            null, options with { Device = new MemoryDevice() }, CounterOperations.Schema, default);
}
