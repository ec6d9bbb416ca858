using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using Faster.Compaction;
using Faster.Contracts;
using Faster.Engines;
using Faster.Log;
using Faster.Log.Large;
using Faster.Operations.Large;
using Faster.Operations.Waiting;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Compaction.Large;

/// <summary>Writers and readers of a large value while the log is truncated below them.</summary>
public sealed class LargeWriterTests : IDisposable
{
    private static readonly long Long = (long)FragmentWrites.StallTimeout.TotalMilliseconds + 1_000;

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("compact")]
    [InlineData("truncate")]
    [InlineData("by age")]
    public async Task A_value_that_is_being_written_is_kept_until_its_writer_stalls(string how)
    {
        var clock = new ManualTime();
        await using FasterStore store = await OpenAsync(Options with { TimeProvider = clock });
        using FasterSession session = store.StartSession();
        for (int key = 10; key < 20; key++) session.PutBytes(key, Value(9_000, key));
        byte[] value = Value(200_000, 1);
        var write = new LargeWrite(new ReadOnlySequence<byte>(value));
        ulong hash = new BytesKey(BitConverter.GetBytes(1)).Hash(store.Tier.Seed);
        write.Write(store.Tier, hash);
        long lowest = write.Head.Lowest;
        for (int key = 20; key < 30; key++) session.PutBytes(key, Value(9_000, key));

        await GiveUpAsync(store, how);
        Assert.Equal(lowest / Page * Page, store.Statistics.BeginAddress);
        await GiveUpAsync(store, how);
        Assert.Equal(lowest / Page * Page, store.Statistics.BeginAddress);
        clock.Advance(Long);
        await GiveUpAsync(store, how);
        Assert.True(store.Statistics.BeginAddress > lowest, $"{store.Statistics.BeginAddress} {lowest}");

        session.PutPrepared(1, write); // it is written again
        Assert.True(write.Head.Lowest >= store.Statistics.BeginAddress);
        Assert.Equal(value, session.GetBytes(1));
        Assert.Equal(0, store.Tier.PagedLog!.Writes.Count);
        if (how == "compact") Assert.Equal(Value(9_000, 25), session.GetBytes(25));
        Assert.Null(store.Statistics.LastFault);
    }

    [Fact]
    public async Task A_writer_that_fails_or_is_canceled_holds_nothing()
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        using var cts = new CancellationTokenSource();
        var value = new Cancelling(1 << 20, cts);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => _ = await session.PutAsync(1, new ReadOnlySequence<byte>(value.Memory), cts.Token));
        Assert.Equal(0, store.Tier.PagedLog!.Writes.Count);
        for (int i = 0; i < 5; i++)
        {
            session.PutBytes(i, Value(20_000, i));
            session.Append(i, Value(20_000, i));
            Assert.Equal(Status.Ok, await session.PutAsync(i, new ReadOnlySequence<byte>(Value(30_000, i))));
        }

        Assert.Equal(0, store.Tier.PagedLog!.Writes.Count);
    }

    [Fact]
    public async Task A_value_that_is_being_read_is_released_after_the_read()
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        byte[] value = Value(1 << 20, 1);
        session.PutBytes(1, value);
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 8 << 10, resumeWriterThreshold: 4 << 10));
        Task<byte[]?> reading = session.ReadAsync(1, pipe.Writer).AsTask();
        _ = reading.ContinueWith(_ => pipe.Writer.Complete(), TaskScheduler.Default);
        _ = await pipe.Reader.ReadAsync(); // it has begun, and waits
        pipe.Reader.AdvanceTo(default);
        using FasterSession other = store.StartSession();
        long tail = store.Log.TailAddress;
        Assert.Equal(tail / Page * Page, (await store.CompactAsync(tail)).BeginAddress); // does not wait for the reader
        other.PutBytes(2, Value(100_000, 2));
        await store.TruncateAsync(store.Statistics.BeginAddress);
        Assert.Equal(value, other.GetBytes(1));
        DiskSpace space = store.Reclamation!.Space;
        Assert.True(space.BytesUpTo(tail) > 1 << 20, "The space of what is being read was given back.");

        var written = new ArrayBufferWriter<byte>();
        for (;;)
        {
            ReadResult read = await pipe.Reader.ReadAsync();
            foreach (ReadOnlyMemory<byte> piece in read.Buffer) written.Write(piece.Span);
            pipe.Reader.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted) break;
        }

        Assert.NotNull(await reading);
        Assert.Equal(value, written.WrittenSpan.ToArray());
        Assert.True(
            SpinWait.SpinUntil(() => space.BytesUpTo(tail) < 1 << 16, TestBudget.StallTimeout),
            $"{space.BytesUpTo(tail)} bytes are there.");
        Assert.Equal(Value(100_000, 2), other.GetBytes(2));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_stalled_reader_is_reported_and_the_budget_holds_when_it_has_ended(bool onFiles)
    {
        const long Budget = 2 << 20;
        var clock = new ManualTime();
        await using FasterStore store = await OpenAsync(
            Options with
            {
                TimeProvider = clock, DiskBudget = new ByteSize(Budget), Allocator = RecordAllocatorKind.AppendOnly,
            },
            onFiles ? _folder.Path : null);
        using FasterSession session = store.StartSession(), slow = store.StartSession();
        slow.PutBytes(1, Value(200_000, 1));
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 8 << 10, resumeWriterThreshold: 4 << 10));
        Task<byte[]?> reading = slow.ReadAsync(1, pipe.Writer).AsTask();
        _ = await pipe.Reader.ReadAsync();
        pipe.Reader.AdvanceTo(default);
        using var gone = new Leaving(pipe.Reader); // or the store waits for it, should the test fail

        // More than the budget. A commit that waits for the reader holds up what shares a bucket with its key.
        Task writing = Task.Run(() =>
        {
            for (int i = 0; i < 900; i++) session.PutBytes(10 + (i % 20), Value(3000, i));
        });
        var watch = Stopwatch.StartNew();
        // By the compactor, or by its commit, whose wait for the reader may be the first one to end.
        bool IsReported() => store.Statistics is var now
            && (IsDelay(now.LastFault) || (now.LastFault is not null && now.DiskBudgetExceeded));
        while (!IsReported())
        {
            if (clock.Waiting > 0) clock.Advance(Long);
            await Task.Yield();
            Assert.True(watch.Elapsed < TestBudget.StallTimeout, "It is not reported.");
        }

        Exception? fault = store.Statistics.LastFault;
        if (!onFiles || !IsDelay(fault)) // the compactor's commit waits for it, too
        {
            Assert.IsType<LimitExceededException>(fault);
            Assert.Contains("has been read, or the store has been scanned,", fault.Message, StringComparison.Ordinal);
        }

        await pipe.Reader.CompleteAsync(); // its consumer has gone
        _ = await reading;
        await writing;
        bool IsKept() => !store.Statistics.DiskBudgetExceeded && store.Statistics.DiskBytes <= Budget + (Budget / 4);
        for (int i = 0; !IsKept(); i++)
        {
            session.PutBytes(10 + (i % 20), Value(3000, i));
            await Task.Yield();
            Assert.True(watch.Elapsed < 2 * TestBudget.StallTimeout, $"{store.Statistics.DiskBytes} bytes are there.");
        }

        Assert.Equal(Value(200_000, 1), session.GetBytes(1));
    }

    private static async Task GiveUpAsync(FasterStore store, string how)
    {
        long tail = store.Statistics.TailAddress;
        switch (how)
        {
            case "compact": _ = await store.CompactAsync(tail); break;
            case "truncate": await store.TruncateAsync(tail); break;
            default: _ = await store.TruncateOlderThanAsync(TimeSpan.Zero); break;
        }
    }

    private sealed class Leaving(PipeReader reader) : IDisposable
    {
        public void Dispose() => reader.Complete();
    }

    // Cancels when its middle is copied.
    private sealed class Cancelling(int length, CancellationTokenSource cts) : MemoryManager<byte>
    {
        private readonly byte[] _bytes = new byte[length];
        private int _calls;

        public override Span<byte> GetSpan()
        {
            if (++_calls == 20) cts.Cancel();
            return _bytes;
        }

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin() { }

        protected override void Dispose(bool disposing) { }
    }

    private static bool IsDelay(Exception? fault) => fault is FasterException { Reason: ErrorReason.CommitDelayed };
}
