using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Caching;

/// <summary>Copies beside commits, checkpoints of the index, its growth, and recovery, in a real folder.</summary>
public sealed class CachedCommitTests : IDisposable
{
    private const int Keys = 24_000, Filler = 200_000;

    // Append-only: updates of a few keys push all others to disk.
    private static readonly StoreOptions Options = new()
    {
        // Half of it lets the index double once when asked. It is never crowded: when and how often a crowded index
        // doubles by itself depends on the machine.
        MemoryBudget = ByteSize.MiB(3), PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.MiB(1),
        ExpectedKeys = Keys, Allocator = RecordAllocatorKind.AppendOnly, ReadCacheFraction = 0.75,
    };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_checkpoint_of_the_index_leads_past_the_copies()
    {
        await using (FasterStore store = await Open())
        {
            using FasterSession session = Load(store);
            for (int round = 0; round < 3; round++)
            {
                for (long key = 0; key < 2000; key++) Assert.Equal(key * 3, session.Get(key));
            }

            Assert.True(store.Statistics.ReadCacheHits > 1000, store.Statistics.ToString());
            await store.CommitAsync(CommitKind.FoldOver, withIndex: true);
        }

        await using FasterStore again = await Open();
        Assert.True(again.Recovery!.BytesReplayed < 1 << 16, again.Recovery.ToString());
        Assert.Equal(0, again.Statistics.ReadCacheBytes);
        using FasterSession reader = again.StartSession();
        for (long key = 0; key < Keys; key++) Assert.Equal(key * 3, reader.Get(key));
    }

    [Fact]
    public async Task Everything_stays_right_while_commits_growth_updates_and_evictions_go_on_at_once()
    {
        int operations = TestBudget.Times(40_000);
        var added = new long[Keys];
        await using (FasterStore store = await Open())
        {
            Load(store).Dispose();
            int growths = store.Statistics.IndexGrowths;
            Task[] clients = [.. Enumerable.Range(0, 3).Select(client => Task.Run(() =>
                Work(store, client, operations, added)))];
            for (int i = 0; i < 3 || !Task.WhenAll(clients).IsCompleted; i++)
            {
                await store.CommitAsync((CommitKind)(i % 3), withIndex: i % 2 == 0);
                if (i == 0) await store.GrowIndexAsync();
            }

            await Task.WhenAll(clients);
            StoreStatistics statistics = store.Statistics;
            Assert.Null(statistics.LastFault);
            Assert.True(statistics.ReadCacheHits > operations / 10, statistics.ToString());
            Assert.True(statistics.IndexGrowths > growths, statistics.ToString());
            Check(store, added);
            await store.CommitAsync(CommitKind.Snapshot, withIndex: true);
        }

        await using FasterStore again = await Open();
        Check(again, added);
    }

    // Few keys are hot; values only grow, so no reader may see one fall.
    private static void Work(FasterStore store, int client, int operations, long[] added)
    {
        using FasterSession session = store.StartSession();
        var random = new Random(client);
        for (int i = 0; i < operations; i++)
        {
            long key = random.Next(4) == 0 ? random.Next(Keys) : random.Next(Keys / 20);
            if (random.Next(8) == 0)
            {
                session.AddTo(key, 1);
                Interlocked.Increment(ref added[key]);
                continue;
            }

            long least = (key * 3) + Volatile.Read(ref added[key]);
            long? value = session.Get(key);
            Assert.True(value >= least, $"key {key}: {value}, at least {least}");
        }
    }

    private static void Check(FasterStore store, long[] added)
    {
        using FasterSession session = store.StartSession();
        for (long key = 0; key < Keys; key++) Assert.Equal((key * 3) + added[key], session.Get(key));
    }

    private static FasterSession Load(FasterStore store)
    {
        FasterSession session = store.StartSession();
        for (long key = 0; key < Keys; key++) session.Put(key, key * 3);
        for (int i = 0; i < Filler; i++) session.Put(Keys + (i % 16), i);
        return session;
    }

    private async Task<FasterStore> Open() =>
        await FasterStore.OpenAsync(_folder.Path, Options, CounterOperations.Schema, default);
}
