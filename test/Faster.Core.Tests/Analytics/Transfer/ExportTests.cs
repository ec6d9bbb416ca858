using System.Buffers;
using System.IO.Pipelines;
using Faster.Analytics.Transfer;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Analytics.Transfer;

public sealed class ExportTests
{
    [Fact]
    public Task A_store_comes_back_whole_into_an_empty_one_and_over_a_live_one() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = store.StartSession();
        var model = new SortedDictionary<long, long?>();
        AnalyticsStores.Churn(session, model, 8_000, 40_000, 3);
        var bytes = new MemoryStream();
        var heard = new List<TransferProgress>();
        long records = await store.Analytics.ExportAsync(
            bytes, new ScanOptions { TableMemory = ByteSize.KiB(64) }, new Heard(heard));
        Assert.Equal(model.Count, records);
        Assert.Equal(new TransferProgress(records, bytes.Length), heard[^1]);
        Assert.True(heard.Count > 1);

        await using FasterStore copy = await AnalyticsStores.InMemoryAsync();
        bytes.Position = 0;
        Assert.Equal(records, await copy.Analytics.ImportAsync<CounterOperations.Upsert>(bytes, new Heard(heard)));
        Assert.Equal(new TransferProgress(records, bytes.Length), heard[^1] with { Bytes = bytes.Length });
        Assert.Equal(model, await copy.LiveAsync());

        await using FasterStore live = await AnalyticsStores.InMemoryAsync();
        using (FasterSession other = live.StartSession())
            for (long key = 7_000; key < 9_000; key++) other.Put(key, -key);
        bytes.Position = 0;
        _ = await live.Analytics.ImportAsync<CounterOperations.Upsert>(bytes);
        var both = new SortedDictionary<long, long?>(model);
        for (long key = 7_000; key < 9_000; key++) both.TryAdd(key, -key);
        Assert.Equal(both, await live.LiveAsync());
    });

    [Fact]
    public Task An_export_of_all_records_brings_deletions_along() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = store.StartSession();
        var model = new SortedDictionary<long, long?>();
        AnalyticsStores.Churn(session, model, 300, 10_000, 4);
        await using FasterStore copy = await AnalyticsStores.InMemoryAsync();
        using (FasterSession other = copy.StartSession())
            for (long key = 0; key < 300; key++) other.Put(key, -key);
        PipeReader reader = store.Analytics.OpenReader(new ScanOptions { Scope = ScanScope.All });
        Assert.True(await copy.Analytics.ImportAsync<CounterOperations.Upsert>(reader) > model.Count);
        await reader.CompleteAsync();
        SortedDictionary<long, long?> copied = await copy.LiveAsync();
        foreach ((long key, long? value) in model) Assert.Equal(value, copied[key]);
        Assert.All(copied.Keys.Except(model.Keys), key => Assert.Equal(-key, copied[key])); // never known to the store
    });

    [Fact]
    public Task Keys_and_values_of_all_lengths_survive() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await AnalyticsStores.BytesInMemoryAsync();
        await using FasterSession session = store.StartSession();
        var random = new Random(9);
        for (int key = 0; key < 400; key++)
        {
            byte[] value = new byte[random.Next(2_000)];
            random.NextBytes(value);
            session.PutBytes(key, value);
        }

        await using FasterStore copy = await AnalyticsStores.BytesInMemoryAsync();
        PipeReader reader = store.Analytics.OpenReader();
        Assert.Equal(400, await copy.Analytics.ImportAsync<AnyLength>(reader));
        await reader.CompleteAsync();
        await using FasterSession other = copy.StartSession();
        for (int key = 0; key < 400; key++) Assert.Equal(session.GetBytes(key), other.GetBytes(key));
    });

    [Fact]
    public Task A_slow_reader_makes_the_scan_wait() => Guard.RunAsync(async () =>
    {
        const int Most = (4 + 2) * 64 << 10; // what the pipe may hold, and a block that was begun before it was full
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = store.StartSession();
        for (long key = 0; key < 60_000; key++) session.Put(key, key);
        PipeReader reader = store.Analytics.OpenReader();
        long total = 0;
        for (;;)
        {
            System.IO.Pipelines.ReadResult read = await reader.ReadAsync();
            Assert.InRange(read.Buffer.Length, 0, Most);
            if (read.Buffer.IsEmpty && read.IsCompleted) break;
            ReadOnlySequence<byte> some = read.Buffer.Slice(0, Math.Min(read.Buffer.Length, 5_000));
            total += some.Length;
            reader.AdvanceTo(some.End);
        }

        await reader.CompleteAsync();
        Assert.InRange(total, 60_000 * 17, 60_000 * 18);
    });

    [Fact]
    public Task A_reader_that_stops_ends_the_scan_and_one_that_is_cancelled_hears_of_it() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = store.StartSession();
        for (long key = 0; key < 60_000; key++) session.Put(key, key);
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 64 << 10, resumeWriterThreshold: 1));
        Task<long> export = store.Analytics.ExportAsync(pipe.Writer);
        _ = await pipe.Reader.ReadAsync();
        await pipe.Reader.CompleteAsync();
        Assert.InRange(await export, 1, 20_000);

        using var stop = new CancellationTokenSource();
        PipeReader reader = store.Analytics.OpenReader(null, stop.Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => store.Analytics.ImportAsync<CounterOperations.Upsert>(reader));
        await reader.CompleteAsync();
    });

    [Fact]
    public Task A_canceled_pipe_ends_the_import_and_can_be_read_on() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = store.StartSession();
        for (long key = 0; key < 60_000; key++) session.Put(key, key);
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 64 << 10, resumeWriterThreshold: 1));
        Task<long> export = store.Analytics.ExportAsync(pipe.Writer);
        pipe.Writer.CancelPendingFlush();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => export); // not a backup without an end

        pipe = new Pipe();
        Task<long> import = store.Analytics.ImportAsync<CounterOperations.Upsert>(pipe.Reader);
        pipe.Reader.CancelPendingRead();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => import);
        await pipe.Writer.WriteAsync(new byte[3]);
        Assert.Equal(3, (await pipe.Reader.ReadAsync()).Buffer.Length);
    });

    [Fact]
    public unsafe void A_record_that_no_import_would_take_is_not_exported()
    {
        var writer = new ExportWriter(new Pipe().Writer, BytesOperations.Schema);
        writer.Begin();
        long before = writer.Bytes;
        var unreadable = new ReadOnlySpan<byte>((void*)8, ExportFormat.MaxBlock); // it is not looked at
        var tooLong = new RecordView { Key = [1], Value = unreadable, Address = 64 };
        LimitExceededException? refused = null;
        try
        {
            writer.Add(tooLong);
        }
        catch (LimitExceededException e)
        {
            refused = e;
        }

        Assert.Contains("64", refused!.Message);
        Assert.Equal((0, before), (writer.Records, writer.Bytes));
    }

    private sealed class Heard(List<TransferProgress> heard) : IProgress<TransferProgress>
    {
        public void Report(TransferProgress value) => heard.Add(value);
    }

    private readonly struct AnyLength : IValueLayout
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;
    }
}
