using System.IO.Pipelines;
using Faster.Analytics;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Merging;

namespace Faster.Tests.Analytics.Scans;

/// <summary>Scans and exports of live records where updates merge give whole values, in bounded memory.</summary>
public sealed class MergedScanTests : IDisposable
{
    private static readonly ScanOptions SmallTable = new() { TableMemory = ScanOptions.MinTableMemory };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(1, 50)]
    [InlineData(2, 600)]
    public Task Each_live_key_comes_once_with_its_whole_value(int seed, int keys) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(null);
        await using FasterSession session = store.StartSession();
        var model = new SortedDictionary<long, long?>();
        Churn(session, model, keys, seed);
        Assert.True(store.Statistics.DeltasAppended > keys / 2, store.Statistics.ToString());
        Assert.Equal(model, await store.LiveAsync());
        Assert.Equal(model, await store.LiveAsync(SmallTable));
    });

    [Fact]
    public Task Partial_values_stay_within_the_memory_by_more_passes() => Guard.RunAsync(async () =>
    {
        const int Keys = 1_000;
        await using FasterStore store = await OpenAsync(null);
        await using FasterSession session = store.StartSession();
        for (int part = 0; part < 3; part++)
        {
            for (long key = 0; key < Keys; key++) _ = session.Merge(key, key + part);
            Spill(session);
        }

        long end = await store.ShiftReadOnlyAsync();
        LogSource source = store.Analytics.Source;
        foreach (long kib in new long[] { 32, 4096 })
        {
            using var scan = new LiveScan(
                [new ScanPart(source, new ScanRange(source.Log.BeginAddress, end))], ByteSize.KiB(kib));
            var sums = new Dictionary<long, long?>();
            await foreach ((long key, long? value) in scan.RunAsync(AnalyticsStores.Pair, default))
                if (key < Keys) sums.Add(key, value);
            Assert.Equal(Keys, sums.Count);
            Assert.All(sums, static pair => Assert.Equal((3 * pair.Key) + 3, pair.Value));
            Assert.InRange(scan.MaxTableBytes, 1, kib * 1024);
            Assert.Equal(kib == 4096, scan.Passes == 1);
        }
    });

    /// <summary>A scan in the least memory that may be asked for reads the log tens of times, not hundreds.</summary>
    [Fact]
    public Task The_least_memory_takes_few_passes() => Guard.RunAsync(async () =>
    {
        const int Keys = 4_000;
        await using FasterStore store = await OpenAsync(null);
        await using FasterSession session = store.StartSession();
        for (long key = 0; key < Keys; key++) _ = session.Merge(key, key);
        Spill(session);
        for (long key = 0; key < Keys; key++) _ = session.Merge(key, key);
        long end = await store.ShiftReadOnlyAsync();
        LogSource source = store.Analytics.Source;
        ScanPart[] parts = [new(source, new ScanRange(source.Log.BeginAddress, end))];
        ByteSize memory = LiveScan.MemoryFor(parts, ScanOptions.MinTableMemory);
        using var scan = new LiveScan(parts, memory);
        int count = 0;
        await foreach ((long key, _) in scan.RunAsync(AnalyticsStores.Pair, default)) count += key < Keys ? 1 : 0;
        Assert.Equal(Keys, count);
        Assert.InRange(scan.Passes, 1, 120);
        Assert.InRange(memory.Bytes, (end - source.Log.BeginAddress) / 16, 1 << 20);
        long read = store.Statistics.BytesRead;
        await foreach (var _ in store.Analytics.ScanAsync(
            new ScanOptions { TableMemory = ScanOptions.MinTableMemory }, AnalyticsStores.Pair)) count--;
        Assert.InRange(store.Statistics.BytesRead - read, 1, 120 * (end - source.Log.BeginAddress));
    });

    [Fact]
    public Task As_of_a_commit_it_is_exactly_what_was_committed() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(_folder.Path);
        await using FasterSession session = store.StartSession("one");
        var model = new SortedDictionary<long, long?>();
        List<(Commit Commit, SortedDictionary<long, long?> State)> states = [];
        for (int seed = 0; seed < 3; seed++)
        {
            Churn(session, model, 120, seed);
            states.Add((await store.CommitAsync(CommitKind.FoldOver), new SortedDictionary<long, long?>(model)));
        }

        Churn(session, model, 120, seed: 9);
        foreach ((Commit commit, SortedDictionary<long, long?> state) in states)
        {
            Assert.Equal(state, await store.LiveAsync(new ScanOptions { AsOf = commit }));
            Assert.Equal(state, await store.LiveAsync(SmallTable with { AsOf = commit }));
        }

        Assert.Equal(model, await store.LiveAsync());
    });

    [Fact]
    public Task An_export_holds_whole_values_and_none_of_all_records_is_made() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(null);
        await using FasterSession session = store.StartSession();
        var model = new SortedDictionary<long, long?>();
        Churn(session, model, 500, seed: 5);
        using var stream = new MemoryStream();
        Assert.Equal(model.Count, await store.Analytics.ExportAsync(stream));
        stream.Position = 0;
        await using FasterStore copy = await OpenAsync(null);
        Assert.Equal(model.Count, await copy.Analytics.ImportAsync<CounterOperations.Upsert>(stream));
        Assert.Equal(model, await copy.LiveAsync());

        FasterException refused = await Assert.ThrowsAsync<FasterException>(() => store.Analytics.ExportAsync(
            PipeWriter.Create(Stream.Null), new ScanOptions { Scope = ScanScope.All }));
        Assert.Contains("ScanScope.Live", refused.Message, StringComparison.Ordinal);
    });

    [Fact]
    public Task A_history_shows_parts_as_parts() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(null);
        await using FasterSession session = store.StartSession();
        session.Put(-1, 100);
        Spill(session);
        _ = session.Merge(-1, 1);
        List<(long Value, bool IsDelta)> seen = [];
        await foreach (RecordVersion<(long, bool)> past in store.Analytics.HistoryAsync(
            CounterOperations.Key(-1), static record => (BitConverter.ToInt64(record.Value), record.IsDelta)))
            seen.Add(past.Record);
        Assert.Equal([(1, true), (100, false)], seen);
    });

    [Fact]
    public Task Under_updates_the_sum_of_a_scan_is_one_that_there_was() => Guard.RunAsync(async () =>
    {
        const int Keys = 3_000;
        await using FasterStore store = await OpenAsync(null);
        long issued = 0, done = 0;
        using var stop = new CancellationTokenSource();
        Task adder = Task.Run(() =>
        {
            using FasterSession session = store.StartSession();
            var random = new Random(1);
            while (!stop.IsCancellationRequested)
            {
                Interlocked.Increment(ref issued);
                _ = session.Merge(random.Next(Keys), 1);
                Interlocked.Increment(ref done);
                if (issued % 20_000 == 0) Spill(session);
            }
        });
        for (int scan = 0; scan < TestBudget.Times(10); scan++)
        {
            long least = Volatile.Read(ref done);
            long sum = 0;
            bool isFirst = true;
            long most = 0;
            await foreach ((long key, long? value) in store.Analytics.ScanAsync(null, AnalyticsStores.Pair))
            {
                if (isFirst) most = Volatile.Read(ref issued);
                isFirst = false;
                if (key < Keys) sum += value!.Value;
            }

            Assert.InRange(sum, isFirst ? 0 : least, most);
        }

        await stop.CancelAsync();
        await adder;
        Assert.Equal(done, (await store.LiveAsync()).Where(static pair => pair.Key < Keys).Sum(static p => p.Value));
    });

    // So that updates leave parts behind: in three turns the keys go to disk.
    private static void Churn(FasterSession session, SortedDictionary<long, long?> model, int keys, int seed)
    {
        var random = new Random(seed);
        for (int turn = 0; turn < 3; turn++)
        {
            for (int i = 0; i < 3 * keys; i++)
            {
                long key = random.Next(keys);
                switch (random.Next(12))
                {
                    case 0:
                        _ = session.Remove(key);
                        model.Remove(key);
                        break;
                    case 1:
                        session.Put(key, i);
                        model[key] = i;
                        break;
                    default:
                        _ = session.Merge(key, i);
                        model[key] = (model.TryGetValue(key, out long? old) ? old : 0) + i;
                        break;
                }
            }

            Spill(session);
            for (long key = 0; key < 20; key++) model[1_000_000 + key] = 7;
        }
    }

    // The same few keys again and again, until all that was is on disk: the log grows, what lives does not.
    private static void Spill(FasterSession session)
    {
        for (long tail = session.Store.Log.TailAddress; session.Store.Log.HeadAddress < tail;)
        {
            for (long key = 0; key < 20; key++) session.Put(1_000_000 + key, 7);
            session.Store.ScanLog().Dispose();
        }
    }

    private static ValueTask<FasterStore> OpenAsync(string? folder) => FasterStore.OpenAsync(
        folder, folder is null ? AnalyticsStores.Options with { Device = new MemoryDevice() } : AnalyticsStores.Options,
        MergingOperations.Schema, default);
}
