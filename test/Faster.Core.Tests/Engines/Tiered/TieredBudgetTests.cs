using System.Buffers;
using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Operations.Large;
using Faster.Tests.Compaction;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Engines.Tiered;

/// <summary>All files of a store with two tiers stay within its disk budget, or it is reported.</summary>
public sealed class TieredBudgetTests : IDisposable
{
    private const int Keys = 60_000, Record = 8 + 8 + 8 + 104; // header, key, lengths, value
    private const int Writers = 2;

    private readonly TemporaryFolder _folder = new();
    private readonly int[] _written = new int[Keys]; // each key has one writer

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(2.0, 1)]
    [InlineData(2.0, 6)]
    [InlineData(1.8, 1)]
    [InlineData(1.8, 6)]
    public Task The_files_stay_within_the_budget_under_updates(double timesLive, int skew) => Guard.RunAsync(async () =>
    {
        long budget = (long)(Keys * Record * timesLive), most;
        await using (TieredStore store = await OpenAsync(budget))
        {
            most = await MostBytesAsync(WriteAsync(store, skew, TestBudget.Times(Keys)));
            Assert.Null(store.Core.Faults.Last);
            Assert.False(store.Statistics.DiskBudgetExceeded);
            Assert.True(store.Statistics.ColdCompactions > 3, $"{store.Statistics.ColdCompactions} compactions.");
            AssertWritten(store);
        }

        Assert.InRange(most / (double)budget, 0.5, 1.1);
        await using TieredStore again = await OpenAsync(budget);
        AssertWritten(again);
    });

    [Fact]
    public Task A_budget_that_the_data_do_not_fit_is_reported_and_holds_no_writer_up() => Guard.RunAsync(async () =>
    {
        long budget = Keys * Record * 11 / 10, most;
        bool wasExceeded = false; // a pass that ends may find space again
        await using (TieredStore store = await OpenAsync(budget))
        {
            most = await MostBytesAsync(
                WriteAsync(store, skew: 1, TestBudget.Times(Keys / 4)),
                () => wasExceeded |= store.Statistics.DiskBudgetExceeded);
            Assert.True(wasExceeded);
            Assert.IsType<LimitExceededException>(store.Core.Faults.Last);
            AssertWritten(store);
        }

        Assert.InRange(most, budget, Keys * Record * 2L);
        await using TieredStore again = await OpenAsync(budget);
        AssertWritten(again);
    });

    [Fact]
    public Task A_value_that_is_being_written_lets_the_hot_log_grow_and_says_nothing_about_the_budget() =>
        Guard.RunAsync(async () =>
        {
            await using TieredStore store = await OpenAsync(Keys * Record * 2);
            using TieredSession session = store.StartSession();
            byte[] value = LargeStore.Value(200_000, 1);
            var write = new LargeWrite(new ReadOnlySequence<byte>(value));
            write.Write(store.Hot, new BytesKey(BitConverter.GetBytes(Keys)).Hash(store.Hot.Seed));
            long largest = TieredShares.Largest(store.Options.HotLogSize.Bytes);
            for (int key = 0; store.Hot.Log.TailAddress - write.Head.Lowest < 2 * largest; key++)
            {
                Put(session, key % Keys);
                Assert.False(store.Statistics.DiskBudgetExceeded);
            }

            Assert.Equal(store.Hot.PagedLog!.PageStartOf(write.Head.Lowest), store.Hot.Log.BeginAddress);
            session.PutPrepared(Keys, write);
            await store.Hot.PagedLog.Gate.WaitForAsync(
                () => store.Hot.Log.TailAddress - store.Hot.Log.BeginAddress <= largest, CancellationToken.None);
            Assert.Equal(value, session.GetBytes(Keys));
            Assert.Null(store.Core.Faults.Last);
        });

    [Fact]
    public Task Both_compactions_go_on_beside_a_scan_and_the_files_are_within_the_budget_after_it() =>
        Guard.RunAsync(async () =>
        {
            const long Budget = Keys * Record * 2L;
            await using TieredStore store = await OpenAsync(Budget);
            await WriteAsync(store, skew: 1, updates: 0);
            int count = 0;
            await foreach (var _ in store.Analytics.ScanAsync(null, static record => record.Key.Length))
            {
                if (count++ != 0) continue;
                long before = store.Statistics.ColdCompactions;
                await WriteAsync(store, skew: 1, Keys);
                Assert.True(store.Statistics.ColdCompactions > before + 3, "The cold log was not compacted.");
                Assert.True(BytesInFolder() > Budget && store.Statistics.DiskBudgetExceeded);
            }

            Assert.Equal(Keys, count);
            while (store.Statistics.DiskBudgetExceeded || BytesInFolder() > Budget * 11 / 10) await Task.Yield();
            Assert.Null(store.Core.Faults.Last);
            AssertWritten(store);
        });

    // A thread of a compaction may wait for space that only commits would bring.
    [Fact]
    public Task A_store_is_closed_while_its_compactions_wait_for_space() => Guard.RunAsync(async () =>
    {
        for (int i = 1; i <= 4; i++)
        {
            TieredStore store = await OpenAsync(Keys * Record * 3 / 2);
            await WriteAsync(store, skew: 1, Keys / i);
            await store.DisposeAsync();
            await using TieredStore again = await OpenAsync(Keys * Record * 3 / 2);
            AssertWritten(again);
        }
    });

    private ValueTask<TieredStore> OpenAsync(long budget) => TieredStore.OpenAsync(
        _folder.Path, new TieredOptions
        {
            MemoryBudget = ByteSize.MiB(6), DiskBudget = new ByteSize(budget), ExpectedColdKeys = Keys,
            HotLogSize = new ByteSize(budget / 10), PageSize = ByteSize.KiB(32),
        },
        BytesOperations.Schema, CancellationToken.None);

    // Each key once, and then as many updates.
    private Task WriteAsync(TieredStore store, int skew, int updates) => Task.WhenAll(
        Enumerable.Range(0, Writers).Select(writer => Guard.RunAsync(() =>
        {
            using TieredSession session = store.StartSession();
            var random = new Random(writer);
            for (int key = writer; key < Keys; key += Writers) Put(session, key);
            for (int i = 0; i < updates; i++)
            {
                int key = (int)(Keys / Writers * Math.Pow(random.NextDouble(), skew)) * Writers;
                Put(session, key + writer);
            }
        })));

    private void Put(TieredSession session, int key) => session.PutBytes(key, Value(key, ++_written[key]));

    private void AssertWritten(TieredStore store)
    {
        using TieredSession session = store.StartSession();
        for (int key = 0; key < Keys; key += 37) Assert.Equal(Value(key, _written[key]), session.GetBytes(key));
    }

    private static byte[] Value(int key, int number)
    {
        byte[] value = new byte[100];
        BitConverter.TryWriteBytes(value, key);
        BitConverter.TryWriteBytes(value.AsSpan(50), number);
        return value;
    }

    // The most that all files take together until a task has ended.
    private async Task<long> MostBytesAsync(Task task, Action? look = null)
    {
        long most = 0;
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(5));
        while (!task.IsCompleted && await timer.WaitForNextTickAsync())
        {
            most = Math.Max(most, BytesInFolder());
            look?.Invoke();
        }

        await task;
        return most;
    }

    private long BytesInFolder() => GarbageStore.LogBytes(_folder.Path, "*");
}
