using Faster.Contracts;
using Faster.Engines;
using Faster.Operations.Waiting;
using Faster.Tests.Opening;
using Faster.Tests.Operations;

namespace Faster.Tests.Engines;

public sealed class FasterStoreTests
{
    public static TheoryData<RecordAllocatorKind> Allocators => [.. Enum.GetValues<RecordAllocatorKind>()];

    [Theory, MemberData(nameof(Allocators))]
    public async Task A_session_agrees_with_a_dictionary_over_random_operations(RecordAllocatorKind allocator)
    {
        await using FasterStore store = await Open(new StoreOptions
        {
            Allocator = allocator, MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(4),
        });
        using FasterSession session = store.StartSession();
        var model = new Dictionary<long, long>();
        var random = new Random(1);
        for (int i = 0; i < 100_000; i++)
        {
            long key = random.Next(2_000), value = random.Next(1, 1000);
            switch (random.Next(4))
            {
                case 0:
                    session.Put(key, value);
                    model[key] = value;
                    break;
                case 1:
                    session.AddTo(key, value);
                    model[key] = model.GetValueOrDefault(key) + value;
                    break;
                case 2:
                    Assert.Equal(model.TryGetValue(key, out long expected) ? expected : null, session.Get(key));
                    break;
                default:
                    Status status = session.Remove(key);
                    if (status == Status.NotFound) Assert.DoesNotContain(key, model);
                    model.Remove(key);
                    break;
            }
        }

        for (long key = 0; key < 2_000; key++)
            Assert.Equal(model.TryGetValue(key, out long expected) ? expected : null, session.Get(key));
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.AppendOnly)]
    public async Task Data_larger_than_memory_is_right_and_comes_from_disk(RecordAllocatorKind allocator)
    {
        const int Keys = 200_000; // 24 bytes each, the budget is 1 MiB
        await using FasterStore store = await Open(new StoreOptions
        {
            Allocator = allocator, MemoryBudget = ByteSize.MiB(1),
        });
        using FasterSession session = store.StartSession();
        for (long key = 0; key < Keys; key++) session.Put(key, key * 3);
        for (long key = 0; key < Keys; key += 97) session.AddTo(key, 1);
        for (long key = 0; key < Keys; key += 7) Assert.Equal((key * 3) + (key % 97 == 0 ? 1 : 0), session.Get(key));
        StoreStatistics statistics = store.Statistics;
        Assert.True(statistics.DiskReads > Keys / 20, statistics.ToString());
        Assert.True(statistics.LogBytesOnDisk > 2 << 20, statistics.ToString());
        Assert.Null(statistics.LastFault);
    }

    [Fact]
    public async Task A_scan_sees_every_record_in_order_and_the_last_version_of_each()
    {
        await using FasterStore store = await Open(new StoreOptions { MemoryBudget = ByteSize.MiB(1) });
        using FasterSession session = store.StartSession();
        var model = new Dictionary<long, long>();
        var random = new Random(2);
        for (int i = 0; i < 100_000; i++)
        {
            long key = random.Next(50_000);
            if (random.Next(10) == 0)
            {
                Assert.NotEqual(Status.Pending, session.Remove(key));
                model.Remove(key);
            }
            else
            {
                session.AddTo(key, 1);
                model[key] = model.GetValueOrDefault(key) + 1;
            }
        }

        var seen = new Dictionary<long, long>();
        long last = 0;
        using var scan = store.ScanLog();
        while (scan.MoveNext())
        {
            Assert.True(scan.Address > last);
            last = scan.Address;
            long key = BitConverter.ToInt64(scan.Key);
            if (scan.IsTombstone) seen.Remove(key);
            else seen[key] = BitConverter.ToInt64(scan.Value);
        }

        Assert.Equal(model, seen);
    }

    [Fact]
    public async Task The_index_grows_by_itself_while_two_sessions_write()
    {
        await using FasterStore store = await Open(new StoreOptions
        {
            MemoryBudget = ByteSize.MiB(64), ExpectedKeys = 64,
        });
        const int Keys = 100_000;
        Task[] writers = [.. Enumerable.Range(0, 2).Select(w => Task.Run(() =>
        {
            using FasterSession session = store.StartSession();
            for (int i = 0; i < Keys; i++) session.AddTo(((i * 7919L) + (w * 31)) % Keys, 1);
        }))];
        await Task.WhenAll(writers);
        using FasterSession reader = store.StartSession();
        long sum = 0;
        for (int key = 0; key < Keys; key++) sum += reader.Get(key) ?? 0;
        Assert.Equal(2L * Keys, sum);

        // The grower is a background task: it goes on until the index is no longer crowded.
        _ = SpinWait.SpinUntil(() => store.Statistics.IndexGrowths >= 5, TestBudget.StallTimeout);
        Assert.True(store.Statistics.IndexGrowths >= 5, store.Statistics.ToString());
        Assert.Null(store.Statistics.LastFault);
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public async Task Concurrent_increments_sum_up(RecordAllocatorKind allocator)
    {
        await using FasterStore store = await Open(new StoreOptions
        {
            Allocator = allocator, MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(4),
        });
        const int Keys = 3_000, Increments = 60_000, Threads = 4;
        await Task.WhenAll(Enumerable.Range(0, Threads).Select(w => Task.Run(() =>
        {
            using FasterSession session = store.StartSession();
            var random = new Random(w);
            for (int i = 0; i < Increments; i++) session.AddTo((long)(Keys * Math.Pow(random.NextDouble(), 3)), 1);
        })));
        using FasterSession reader = store.StartSession();
        long sum = 0;
        for (int key = 0; key < Keys; key++) sum += reader.Get(key) ?? 0;
        Assert.Equal((long)Increments * Threads, sum);
    }

    private static async Task<FasterStore> Open(StoreOptions options) =>
        await FasterStore.OpenAsync(null, options.InMemory(), CounterOperations.Schema, default);
}
