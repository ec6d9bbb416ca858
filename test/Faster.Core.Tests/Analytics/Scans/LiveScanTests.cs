using Faster.Analytics;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Analytics.Scans;

public sealed class LiveScanTests
{
    private static readonly ScanOptions SmallTable = new() { TableMemory = ScanOptions.MinTableMemory };

    [Theory]
    [InlineData(1, 50, 400)]
    [InlineData(2, 3_000, 20_000)]
    [InlineData(3, 30_000, 60_000)]
    public Task It_gives_each_live_key_once_with_its_value(int seed, int keys, int steps) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = store.StartSession();
        var model = new SortedDictionary<long, long?>();
        AnalyticsStores.Churn(session, model, keys, steps, seed);
        Assert.Equal(model, await store.LiveAsync());
        Assert.Equal(model, await store.LiveAsync(
            keys > 10_000 ? new ScanOptions { TableMemory = ByteSize.KiB(128) } : SmallTable));
        Assert.Equal(steps > 50_000, store.Statistics.DiskReads > 0);
    });

    [Fact]
    public Task The_table_stays_within_its_memory_by_more_passes() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = store.StartSession();
        for (long key = 0; key < 4_000; key++) session.Put(key, -key);
        long end = await store.ShiftReadOnlyAsync();
        LogSource source = store.Analytics.Source;
        foreach (long kib in new long[] { 4, 16, 1024 })
        {
            using var scan = new LiveScan(
                [new ScanPart(source, new ScanRange(source.Log.BeginAddress, end))], ByteSize.KiB(kib));
            var keys = new HashSet<long>();
            await foreach ((long key, long? value) in scan.RunAsync(AnalyticsStores.Pair, default))
            {
                Assert.True(keys.Add(key));
                Assert.Equal(-key, value);
            }

            Assert.Equal(4_000, keys.Count);
            Assert.InRange(scan.MaxTableBytes, 1, kib * 1024);
            Assert.Equal(kib == 1024, scan.Passes == 1);
        }
    });

    [Fact]
    public Task Keys_and_values_of_all_lengths_come_whole() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await AnalyticsStores.BytesInMemoryAsync();
        await using FasterSession session = store.StartSession();
        var random = new Random(7);
        var model = new Dictionary<int, byte[]>();
        for (int i = 0; i < 2_000; i++)
        {
            int key = random.Next(300);
            byte[] value = new byte[random.Next(700)];
            random.NextBytes(value);
            session.PutBytes(key, value);
            model[key] = value;
        }

        foreach (ScanOptions options in new[] { new ScanOptions(), SmallTable })
        {
            var live = new Dictionary<int, byte[]>();
            await foreach (RawRecord record in store.Analytics.ScanAsync(options, RawRecord.Copy))
                live.Add(BitConverter.ToInt32(record.Key), record.Value!);
            Assert.Equal(model.Count, live.Count);
            Assert.All(model, pair => Assert.Equal(pair.Value, live[pair.Key]));
        }
    });

    [Fact]
    public Task Under_updates_each_value_is_one_that_the_key_had_when_the_scan_began() => Guard.RunAsync(async () =>
    {
        const int Keys = 500;
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        long[] issued = new long[Keys], done = new long[Keys];
        using var stop = new CancellationTokenSource();
        using (FasterSession first = store.StartSession())
            for (int key = 0; key < Keys; key++) first.Put(key, 0);
        Task writer = Task.Run(() =>
        {
            using FasterSession session = store.StartSession();
            var random = new Random(11);
            for (long i = 1; !stop.IsCancellationRequested; i++)
            {
                int key = random.Next(Keys);
                Volatile.Write(ref issued[key], i);
                session.Put(key, i);
                Volatile.Write(ref done[key], i);
            }
        });
        try
        {
            for (int round = 0; round < TestBudget.Times(15); round++)
            {
                long[] least = [.. Enumerable.Range(0, Keys).Select(key => Volatile.Read(ref done[key]))];
                long[]? most = null;
                int count = 0;
                await foreach ((long key, long? value) in store.Analytics.ScanAsync(
                    round % 2 == 0 ? null : SmallTable, AnalyticsStores.Pair))
                {
                    most ??= [.. Enumerable.Range(0, Keys).Select(key => Volatile.Read(ref issued[key]))];
                    Assert.InRange(value!.Value, least[key], most[key]);
                    count++;
                }

                Assert.Equal(Keys, count);
            }
        }
        finally
        {
            await stop.CancelAsync();
            await writer;
        }
    });

    [Fact]
    public Task After_a_recovery_what_no_commit_covers_is_left_out() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        var model = new SortedDictionary<long, long?>();
        for (int round = 0; round < 3; round++)
        {
            await using FasterStore store = await AnalyticsStores.InFolderAsync(folder.Path);
            Assert.Equal(model, await store.LiveAsync(SmallTable));
            await using FasterSession session = store.StartSession();
            AnalyticsStores.Churn(session, model, 2_000, 20_000, round);
            _ = await store.CommitAsync(round == 1 ? CommitKind.Snapshot : CommitKind.FoldOver);
            AnalyticsStores.Churn(session, new Dictionary<long, long?>(), 2_000, 20_000, round + 100);
            _ = await store.ShiftReadOnlyAsync();
        }

        await using FasterStore last = await AnalyticsStores.InFolderAsync(folder.Path);
        Assert.Equal(model, await last.LiveAsync());
    });

    [Fact]
    public async Task All_records_come_as_the_synchronous_scan_gives_them()
    {
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = store.StartSession();
        AnalyticsStores.Churn(session, new Dictionary<long, long?>(), 500, 30_000, 5);
        var expected = new List<(long, long, long?)>();
        using (LogScan scan = store.ScanLog())
        {
            while (scan.MoveNext())
            {
                (long key, long? value) = AnalyticsStores.Pair(scan.Current);
                expected.Add((scan.Address, key, value));
            }
        }

        var found = await store.Analytics.ScanAsync(new ScanOptions { Scope = ScanScope.All }, static record =>
        {
            (long key, long? value) = AnalyticsStores.Pair(record);
            return (record.Address, key, value);
        }).ToListAsync();
        Assert.Equal(expected, found);
    }

    [Theory]
    [InlineData(ScanScope.All)]
    [InlineData(ScanScope.Live)]
    public Task A_part_that_is_truncated_during_a_scan_is_scanned_whole(ScanScope scope) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = store.StartSession();
        for (long key = 0; key < 3_000; key++) session.Put(key, key);
        var seen = new SortedSet<long>();
        await foreach ((long key, long? value) in store.Analytics.ScanAsync(
            new ScanOptions { Scope = scope }, AnalyticsStores.Pair))
        {
            Assert.True(seen.Add(key) && value == key);
            if (seen.Count != 1) continue;
            await store.TruncateAsync(store.Log.TailAddress); // waits for no scan, its own included
            Assert.True(store.Statistics.BeginAddress > store.Log.TailAddress - 4096);
        }

        Assert.Equal(3_000, seen.Count);
        Assert.True((await store.LiveAsync()).Count < 300, "the rest of a page");
        Assert.Equal(long.MaxValue, store.Tier.PagedLog!.Pins.LowestPinned);
    });

    [Fact]
    public Task It_ends_when_it_is_cancelled_and_refuses_what_it_can_not_do() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = store.StartSession();
        for (long key = 0; key < 3_000; key++) session.Put(key, key);
        using var stop = new CancellationTokenSource();
        int seen = 0;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var _ in store.Analytics.ScanAsync(null, AnalyticsStores.Pair, stop.Token))
                if (seen++ == 0) await stop.CancelAsync();
        });
        Assert.InRange(seen, 1, 500);
        Assert.Throws<ArgumentOutOfRangeException>(() => store.Analytics.ScanAsync(
            new ScanOptions { TableMemory = new ByteSize(100) }, AnalyticsStores.Pair));
        await using FasterStore memory = await FasterStore.OpenAsync(
            null, AnalyticsStores.Options with { Allocator = RecordAllocatorKind.InMemory, PageSize = default },
            CounterOperations.Schema, default);
        Assert.Throws<NotSupportedException>(() => memory.Analytics.ScanAsync(null, AnalyticsStores.Pair));
    });

    [Fact]
    public async Task A_closed_store_ends_it()
    {
        FasterStore store = await AnalyticsStores.InMemoryAsync();
        using (FasterSession session = store.StartSession())
            for (long key = 0; key < 3_000; key++) session.Put(key, key);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () =>
        {
            int seen = 0;
            await foreach (var _ in store.Analytics.ScanAsync(null, AnalyticsStores.Pair))
                if (seen++ == 0) await store.DisposeAsync();
        });
    }
}
