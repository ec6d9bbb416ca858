using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Probes;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Opening;

namespace Faster.Tests.Compaction;

/// <summary>Compaction to the tail with a real store and real threads.</summary>
public sealed class CompactionTests : IDisposable
{
    private const long Keys = 14_000;
    private const int Few = 4000; // as many as memory holds twice

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid, 0, 1)]
    [InlineData(RecordAllocatorKind.Hybrid, 0.75, 3)]
    [InlineData(RecordAllocatorKind.AppendOnly, 0, 2)]
    public async Task Live_records_stay_and_the_others_go(RecordAllocatorKind allocator, double cache, int threads)
    {
        StoreOptions options = GarbageStore.Small with
        {
            Allocator = allocator, ReadCacheFraction = cache, CompactionThreads = threads,
        };
        await using FasterStore store = await GarbageStore.OpenAsync(null, options);
        using FasterSession session = store.StartSession();
        session.Fill(0, Keys);
        for (long key = 0; key < Keys; key += 2) session.Put(key, -key);
        for (long key = 0; key < Keys; key += 10) _ = session.Remove(key);
        for (long key = 0; key < 3000; key++) _ = session.Get(key);

        (long begin, long tail) = (store.Statistics.BeginAddress, store.Statistics.TailAddress);
        CompactionResult result = await store.CompactAsync(tail);
        StoreStatistics now = store.Statistics;
        Assert.Equal(now.BeginAddress, result.BeginAddress);
        Assert.InRange(result.BeginAddress, tail - 4096, tail);
        Assert.InRange(result.RecordsCopied, Keys - (Keys / 10) - 400, Keys - (Keys / 10));

        // Each of 24 bytes. How many there are depends on how early the index has grown into the log's memory: until
        // then, updates are made in place.
        long records = (result.BeginAddress - begin) / 24;
        Assert.InRange(result.RecordsExamined, records * 98 / 100, records);
        Assert.Equal(result.RecordsCopied, now.RecordsCopied);
        Assert.Equal((1, result.BytesReclaimed), (now.Compactions, now.BytesReclaimed));
        for (int round = 0; round < 2; round++)
        {
            for (long key = 0; key < Keys; key++)
            {
                long? expected = key % 10 == 0 ? null : key % 2 == 0 ? -key : key * 3;
                Assert.Equal(expected, session.Get(key));
            }

            result = await store.CompactAsync(store.Statistics.TailAddress);
        }

        Assert.Null(store.Statistics.LastFault);
    }

    [Fact]
    public async Task Values_of_any_length_keep_their_bytes()
    {
        await using FasterStore store = await FasterStore.OpenAsync(
            null, GarbageStore.Small.For(null), BytesOperations.Schema, default);
        using FasterSession session = store.StartSession();
        var random = new Random(3);
        var model = new Dictionary<int, byte[]>();
        for (int i = 0; i < 6000; i++)
        {
            int key = random.Next(1500);
            byte[] value = new byte[random.Next(600)];
            random.NextBytes(value);
            session.PutBytes(key, value);
            model[key] = value;
            if (i % 5 != 0) continue;
            session.Append(key, [1, 2, 3]);
            model[key] = [.. value, 1, 2, 3];
        }

        for (int round = 0; round < 3; round++)
        {
            CompactionResult result = await store.CompactAsync(store.Statistics.TailAddress);
            Assert.True(result.BytesReclaimed > 0);
            foreach ((int key, byte[] value) in model) Assert.Equal(value, session.GetBytes(key));
        }
    }

    [Fact]
    public async Task Records_that_were_superseded_in_memory_need_no_look_at_their_chains()
    {
        await using FasterStore store = await GarbageStore.OpenAsync(
            null, GarbageStore.Small with { Allocator = RecordAllocatorKind.AppendOnly, ReadCacheFraction = 0 });
        using FasterSession session = store.StartSession();
        for (int round = 0; round < 400; round++)
            for (long key = 0; key < 100; key++) session.Put(key, round);
        for (long key = 0; key < 100; key++) Assert.Equal(399, session.Get(key));
        long reads = store.Statistics.DiskReads;
        CompactionResult result = await store.CompactAsync(store.Statistics.HeadAddress);
        Assert.Equal(0, result.RecordsCopied);

        // Each page is read; and no record in it has a chain that leads back to disk.
        long pages = result.BytesReclaimed >> 12;
        Assert.InRange(store.Statistics.DiskReads - reads, 1, pages + 1);
        Assert.Equal(399, session.Get(5));
    }

    [Theory]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Snapshot)]
    [InlineData(CommitKind.Incremental)]
    public async Task Compactions_and_commits_and_recoveries_by_turns(CommitKind kind)
    {
        var model = new Dictionary<long, long>();
        var random = new Random((int)kind + 1);
        StoreOptions options = GarbageStore.Small with { CommitKind = kind };
        for (int life = 0; life < 4; life++)
        {
            await using FasterStore store = await GarbageStore.OpenAsync(_folder.Path, options);
            using FasterSession session = store.StartSession("one");
            for (long key = 0; key < 4000; key++)
                Assert.Equal(model.TryGetValue(key, out long value) ? value : null, session.Get(key));
            for (int commit = 0; commit < 3; commit++)
            {
                Task<CompactionResult> compaction = store.CompactAsync(store.Statistics.TailAddress);
                for (int i = 0; i < 3000; i++)
                {
                    long key = random.Next(4000);
                    if (i % 7 == 0)
                    {
                        _ = session.Remove(key);
                        model.Remove(key);
                        continue;
                    }

                    session.AddTo(key, 3);
                    model[key] = model.GetValueOrDefault(key) + 3;
                }

                Task<Commit> committed = store.CommitAsync(withIndex: commit == 1);
                _ = await compaction;
                _ = await committed;
            }

            _ = await store.CommitAsync();
            for (long key = 0; key < 4000; key++) session.AddTo(key, 1_000_000); // never committed
            _ = await store.CompactAsync(store.Statistics.TailAddress);
        }
    }

    [Fact]
    public async Task A_mark_of_an_earlier_process_is_not_believed()
    {
        await GarbageStore.MakeForeignMarksAsync(_folder.Path, Few);
        await using FasterStore store = await GarbageStore.OpenAsync(_folder.Path);
        using FasterSession session = store.StartSession();
        session.Fill(Keys, 3 * Keys); // what recovery has brought to memory leaves it
        _ = await store.CompactAsync(store.Statistics.HeadAddress);
        session.AssertFilled(0, Few);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Closing_the_store_ends_a_compaction(int threads)
    {
        FasterStore store = await GarbageStore.OpenAsync(null, GarbageStore.Small with { CompactionThreads = threads });
        using (FasterSession session = store.StartSession()) session.Fill(0, 200_000);
        Task<CompactionResult> compaction = store.CompactAsync(store.Statistics.TailAddress);
        await store.DisposeAsync();
        try
        {
            _ = await compaction;
        }
        catch (ObjectDisposedException)
        {
            // It had not ended.
        }

        await Assert.ThrowsAsync<ObjectDisposedException>(() => store.CompactAsync(0));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Updates_beside_compactions_are_all_there(int copiers)
    {
        const int Threads = 3, Rounds = 8_000, Each = 500;
        await using FasterStore store = await GarbageStore.OpenAsync(
            null, GarbageStore.Small with { CompactionThreads = copiers });
        using (FasterSession session = store.StartSession()) session.Fill(100_000, 130_000);
        Task[] threads = [.. Enumerable.Range(0, Threads).Select(number => Task.Run(() =>
        {
            using FasterSession session = store.StartSession();
            var random = new Random(number);
            for (int i = 0; i < Rounds; i++)
            {
                session.AddTo(random.Next(Each), 1);
                if (i % 3 == 0) session.Put(200_000 + (number * 10_000) + i, i);
            }
        }))];
        Task all = Task.WhenAll(threads);
        while (!all.IsCompleted) _ = await store.CompactAsync(store.Statistics.TailAddress);
        await all;
        using FasterSession reader = store.StartSession();
        Assert.Equal(Threads * Rounds, Enumerable.Range(0, Each).Sum(key => reader.Get(key) ?? 0));
        reader.AssertFilled(100_000, 130_000);
        Assert.True(store.Statistics.Compactions > 0);
    }
}
