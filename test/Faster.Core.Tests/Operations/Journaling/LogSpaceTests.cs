using Faster.Commits;
using Faster.Contracts;
using Faster.Engines;
using Faster.Memory;
using Faster.OperationLogs;
using Faster.Operations.Journaling;
using Faster.Persistence;
using Faster.Tests.Faults;
using Faster.Tests.OperationLogs;

namespace Faster.Tests.Operations.Journaling;

/// <summary>Operation logs that are full, owned by another thread, or failed: what operations and commits do.</summary>
public sealed class LogSpaceTests
{
    private const int LogBytes = 4 << 10;
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(500), Long = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task A_change_that_is_not_installed_waits_for_the_owner_of_its_log()
    {
        using var logs = LogSet.Create(new PersistenceDomain(new EmulatedRegion(LogBytes, TimeSpan.Zero)), 1, 7);
        using Journal journal = Begin(logs);
        JournalEntry entry = Publish(journal, valueBytes: 8);
        int favorite = 0;
        Assert.Equal(LogSpace.Taken, logs.TryReserve(ref favorite, 64, false, out LogReservation held));
        Task<Outcome> end = Task.Run(() => entry.End(Outcome.Retry));
        Assert.False(((IAsyncResult)end).AsyncWaitHandle.WaitOne(Moment));
        held.Release();
        Assert.True(((IAsyncResult)end).AsyncWaitHandle.WaitOne(Long));
        Assert.Equal(Outcome.Retry, await end);
    }

    [Fact]
    public void A_change_that_is_not_installed_leaves_its_stripe_although_the_logs_have_failed()
    {
        var region = new FailingRegion();
        using var logs = LogSet.Create(new PersistenceDomain(region), 1, 7);
        using Journal journal = Begin(logs);
        JournalEntry entry = Publish(journal, valueBytes: 700);
        int favorite = 0;
        while (TestRecords.TryAppend(logs, ref favorite, 1, 0, mayUseReserve: true) == LogSpace.Taken) { }
        region.Fails = true;
        Assert.Equal(Outcome.Retry, entry.End(Outcome.Retry));
        Assert.False(entry.IsHeld);
        Assert.Equal(Outcome.Ok, entry.TryBegin(0, journal.Register(null), 2, isInUnit: false, mayUseReserve: false));
        StorageException? failed = null;
        try
        {
            _ = entry.Publish(LogRecordKind.Put, new byte[8], new byte[8], long.MaxValue);
        }
        catch (StorageException e)
        {
            failed = e;
        }

        Assert.NotNull(failed);
        entry.Abandon();
        Assert.False(entry.IsHeld);
    }

    [Fact]
    public async Task Logs_that_are_filled_after_a_commit_has_taken_its_marks_are_freed_by_the_next_ones()
    {
        const int Bytes = 220_000, Appending = 3; // no space is left: the ring ends between
        using var folder = new DurableFolder(BytesOperations.Schema)
        {
            Options = new()
            {
                MemoryBudget = ByteSize.MiB(64), PageSize = ByteSize.MiB(1), OperationLogSize = ByteSize.MiB(1),
                Durability = Durability.EachOperation, CommitOnDispose = false,
            },
        };
        using FasterStore store = folder.Open();
        store.Core.StallLimit = TimeSpan.FromSeconds(10);
        using FasterSession united = store.StartSession(), last = store.StartSession();
        FasterSession[] sessions = [.. Enumerable.Range(0, Appending).Select(_ => store.StartSession())];
        for (int key = 0; key < Appending; key++) last.PutBytes(key, new byte[Bytes]);
        for (int i = 0; i < 2; i++) await store.CommitAsync(CommitKind.FoldOver, withIndex: true);
        LogSet logs = store.Core.Journal!.Logs;
        Assert.Equal((1, 0), (logs.Count, logs.Used));
        long tail = logs.Mark()[0].Position;

        // The commit prepares while the unit is open. Appends that have begun then belong to its version, also those
        // that publish after it has taken its marks.
        CommitUnit unit = united.BeginUnit(1);
        Task<Commit> commit = store.CommitAsync(CommitKind.FoldOver, withIndex: true);
        while (store.Core.Commits.Current.Phase != CommitPhase.Prepare) Thread.Yield();
        using var begun = new CountdownEvent(Appending);
        using var mayEnd = new SemaphoreSlim(0);
        List<Task> appends = [.. sessions.Select((session, key) => Task.Factory.StartNew(
            () => session.Append(key, [1], () =>
            {
                begun.Signal();
                mayEnd.Wait();
            }), TaskCreationOptions.LongRunning))];
        Assert.True(begun.Wait(Long));
        unit.Complete();
        while (store.Core.Commits.Current.Phase < CommitPhase.InProgress) Thread.Yield();
        while (appends.Count != 0)
        {
            mayEnd.Release(); // one at a time: the log has one owner
            Task ended = await Task.WhenAny(appends);
            await ended;
            appends.Remove(ended);
        }

        await commit;
        Assert.InRange(logs.Mark()[0].Position - tail, Appending * Bytes, logs.Capacity);
        last.PutBytes(Appending, new byte[Bytes]);
        foreach (FasterSession session in sessions) session.Dispose();
    }

    private static Journal Begin(LogSet logs)
    {
        var journal = new Journal { RequestCommit = static () => { } };
        journal.Begin(logs, 0);
        return journal;
    }

    // Begins an attempt, which publishes a change.
    private static JournalEntry Publish(Journal journal, int valueBytes)
    {
        var entry = new JournalEntry(journal);
        entry.SetVersion(1);
        Assert.Equal(
            Outcome.Ok, entry.TryBegin(0, journal.Register("one"), 1, isInUnit: false, mayUseReserve: false));
        Assert.Equal(
            Outcome.Ok, entry.Publish(LogRecordKind.Put, new byte[8], new byte[valueBytes], long.MaxValue));
        return entry;
    }

    private sealed unsafe class FailingRegion : RangeRegion
    {
        private readonly NativeBlock _memory = new(LogBytes);

        public bool Fails { get; set; }

        public override byte* Pointer => _memory.Pointer;

        public override long Length => LogBytes;

        public override string Name => "memory";

        public override bool FencesOnCaller => true;

        protected override int Unit => 8;

        public override void Dispose() => _memory.Dispose();

        protected override void Persist(ReadOnlySpan<FlushedRange> ranges)
        {
            if (Fails) throw new IOException("The disk is gone.");
        }
    }
}
