using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using Faster.Commits;
using Faster.Contracts;
using Faster.Engines;
using Faster.Operations.Waiting;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.LogSessions.Pending;

/// <summary>Reads that stall because their consumer has stopped: commits wait, and report the session.</summary>
public sealed class StalledReadTests : IDisposable
{
    private static readonly TimeSpan Long = StreamingReads.StallTimeout + TimeSpan.FromSeconds(1);

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_commit_tells_which_read_holds_it_up()
    {
        var clock = new ManualTime();
        await using FasterStore store = await OpenAsync(Options with { TimeProvider = clock }, _folder.Path);
        using FasterSession session = store.StartSession("slow");
        byte[] value = Value(200_000, 1);
        session.PutBytes(1, value);
        Commit before = await store.CommitAsync();
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 8 << 10, resumeWriterThreshold: 4 << 10));
        Task<byte[]?> reading = session.ReadAsync(1, pipe.Writer).AsTask();
        Task end = reading.ContinueWith(_ => pipe.Writer.Complete(), TaskScheduler.Default);
        long serial = session.SerialNumber;
        Task<Commit> commit = store.CommitAsync();
        var watch = Stopwatch.StartNew();
        while (store.Statistics.LastFault is null)
        {
            clock.Advance((long)Long.TotalMilliseconds);
            await Task.Yield();
            if (watch.Elapsed < TimeSpan.FromSeconds(60)) continue;
            await pipe.Reader.CompleteAsync(); // or the store waits for it
            Assert.Fail("It is not reported.");
        }

        Exception? fault = store.Statistics.LastFault;
        bool waited = !commit.IsCompleted;
        var written = new ArrayBufferWriter<byte>();
        for (bool isOver = false; !isOver;)
        {
            ReadResult read = await pipe.Reader.ReadAsync();
            foreach (ReadOnlyMemory<byte> piece in read.Buffer) written.Write(piece.Span);
            pipe.Reader.AdvanceTo(read.Buffer.End);
            isOver = read.IsCompleted;
        }

        await end;
        Assert.NotNull(await reading);
        Assert.Equal(value, written.WrittenSpan.ToArray());
        Assert.Equal(before.Version + 1, (await commit).Version);
        Assert.True(waited);
        string told = Errors.Is(ErrorReason.CommitDelayed, fault).Message;
        Assert.Contains($"The commit of version {before.Version + 1} waits", told, StringComparison.Ordinal);
        Assert.Contains($"operation {serial} of session 'slow'", told, StringComparison.Ordinal);
        Assert.Contains("200,000 bytes", told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_read_that_moves_is_not_reported_and_one_that_stands_still_once()
    {
        var clock = new ManualTime();
        var reads = new StreamingReads(clock);
        using StreamingRead moving = reads.Begin("moving", 7, version: 3, 100);
        using StreamingRead later = reads.Begin("of the next version", 8, version: 4, 100);
        var done = new TaskCompletionSource();
        List<Exception> heard = [];
        Task waiting = reads.WaitAsync(done.Task, 3, heard.Add);
        for (int i = 1; i <= 3; i++)
        {
            await PassAsync(clock, StreamingReads.StallTimeout - TimeSpan.FromSeconds(1));
            moving.Move(i);
            await PassAsync(clock, TimeSpan.FromSeconds(1));
        }

        Assert.Empty(heard);
        for (int i = 0; i < 3; i++) await PassAsync(clock, Long);
        string told = Errors.Is(ErrorReason.CommitDelayed, Assert.Single(heard)).Message;
        Assert.Contains("operation 7 ", told, StringComparison.Ordinal);
        moving.Dispose();
        await PassAsync(clock, Long);
        Assert.Single(heard);
        done.SetResult();
        await waiting;
        Assert.Equal(0, clock.Waiting);
    }

    // Until the waiter has checked, and waits again.
    private static async Task PassAsync(ManualTime clock, TimeSpan time)
    {
        clock.Advance((long)time.TotalMilliseconds);
        while (clock.Waiting == 0) await Task.Yield();
    }
}
