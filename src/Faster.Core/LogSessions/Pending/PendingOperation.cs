using System.Buffers;
using Faster.Commits;
using Faster.Contracts;
using Faster.Expiry;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Reads;
using Faster.Persistence;
using Faster.Operations;
using Faster.Operations.Large;
using Faster.Operations.Waiting;
using Faster.Probes;
using Faster.Sessions;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.LogSessions.Pending;

/// <summary>
/// An operation that waits, usually for the disk: it walks the part of its key's chain that is on disk, and then runs
/// its algorithm again with the result.
/// </summary>
/// <remarks>
/// One owner at a time: the device while a read is in flight, then the thread that polls it, then the session that
/// continues it. What it waits for, and who waits, is <see cref="WaitRule"/>'s to say.
/// </remarks>
internal abstract class PendingOperation : ChainWalk, IDurableWaiter
{
    private bool _isSettled;
    private bool _isOpen;       // in the session's open numbers
    private bool _isAdmitted;   // awaited only
    private long _counted;      // its bytes in the count of all in flight
    private Action<Exception?>? _onEntryRead;
    private LargeHead? _head;   // of the value to gather once it has a share; null: read a record
    private StallTimeout _stall; // of retries without a wait between

    /// <summary>The operation's serial number within its session.</summary>
    public long Serial { get; private set; }

    /// <summary>The version in which the operation was accepted; under strict order its effect belongs to it.</summary>
    public long Version { get; private set; }

    /// <summary>Whether the operation is part of a unit.</summary>
    public bool IsInUnit { get; private set; }

    /// <summary>
    /// The time to live of what the operation writes, as its session had it when the operation was issued.
    /// </summary>
    public Lifetime Life { get; private set; }

    /// <summary>The session that issued the operation.</summary>
    public LogSession Session { get; protected set; } = null!;

    /// <summary>The new value that is written in fragments, if there is one.</summary>
    protected LargeWrite? Prepared { get; set; }

    /// <summary>The writer that receives a value in fragments, piece by piece; null to gather it in an array.</summary>
    protected abstract IBufferWriter<byte>? Destination { get; }

    /// <summary>Whether the operation is awaited, so that the I/O thread continues it.</summary>
    public abstract bool IsAwaited { get; }

    /// <summary>
    /// Registers the operation as pending. Called inside the epoch of its session, which has counted it for its
    /// version.
    /// </summary>
    /// <param name="serial">Its number.</param>
    /// <param name="version">The version in which it is accepted.</param>
    /// <param name="isJournaled">Whether it is journaled, where each operation is durable.</param>
    public void Register(long serial, long version, bool isJournaled)
    {
        Serial = serial;
        Version = version;
        Life = Session.Life;
        IsInUnit = Session.Serials.Unit != 0;
        _isSettled = false;
        _stall = new StallTimeout(Tier);
        if (isJournaled && !IsInUnit) Open();
        Session.Pending.OnBegun(this);
        if (!IsAwaited) Count();
    }

    /// <summary>Registers an operation as pending that is carried out, but not durable yet.</summary>
    /// <param name="serial">Its number; null for one that has changed nothing.</param>
    protected void RegisterDone(long? serial)
    {
        (Serial, _isSettled, IsInUnit) = (serial ?? 0, true, false);
        if (serial is not null) Open();
        Session.Pending.OnDone();
        Count();
    }

    /// <inheritdoc/>
    public abstract void OnDurable(Exception? error);

    /// <summary>Notes that the operation is durable, or has failed.</summary>
    protected void CloseNumber()
    {
        if (_isOpen) Session.Identity!.Close(Serial);
        _isOpen = false;
    }

    /// <summary>Begins to read: the operation has been admitted among its session's awaited operations.</summary>
    public void OnAdmitted()
    {
        Admit();
        OnShared();
    }

    /// <summary>Begins to read or gather: the operation has received the share that it has waited for.</summary>
    public void OnShared()
    {
        try
        {
            if (_head is { } head) Gather(head, aside: true);
            else ReadNext(own: null);
        }
        catch (Exception e)
        {
            Failure = e;
            BecomeReady();
        }
    }

    /// <summary>
    /// Records that the operation is carried out, or has failed: no commit waits for it any more. Called inside the
    /// epoch in which it was carried out. Idempotent.
    /// </summary>
    /// <param name="version">The version that its effect belongs to.</param>
    public void Settle(long version)
    {
        if (_isSettled) return;
        _isSettled = true;
        CommitState commits = Session.Core.Commits;
        if (commits.Order == PendingOrder.Strict) commits.RemovePending(Hash, Version);
        else if (Session.Pending.ExcludedSerials.Settle(Serial, version)) Session.Core.Sessions.NoteWork(version);
    }

    /// <summary>Starts the read, the write or the wait that an attempt needs before the next one.</summary>
    /// <param name="outcome">How the attempt ended.</param>
    /// <param name="attempt">The attempt, which holds what it needs.</param>
    /// <param name="aside">
    /// Whether long work must run on another thread, since the caller may be the I/O thread.
    /// </param>
    public void StartWaiting(Outcome outcome, Attempt attempt, bool aside)
    {
        _stall = new StallTimeout(Tier);
        if (attempt.Large.Prepared is { } prepared) Prepared = prepared;
        attempt.Large.Prepared = null;
        switch (outcome)
        {
            case Outcome.OnDisk: BeginWalk(attempt); break;
            case Outcome.Large: BeginGather(attempt, aside); break;
            case Outcome.Oversized: Write(Prepared!, aside); break;
            case Outcome.EntryOnDisk: ReadEntry(attempt); break;
            case Outcome.AllocationFailed: Tier.PagedLog!.Park(BecomeReady); break;
            case Outcome.LogsFull: IOThread.Of(Tier).ResumeSoon(this); break;
            default: WaitForBucket(); break;
        }
    }

    /// <summary>
    /// Delivers the operation's outcome to its completion callback or awaiter, and returns the object to its pool.
    /// </summary>
    public abstract void Deliver();

    /// <summary>Removes the operation from the counts at its end, before the object is reused.</summary>
    /// <returns>Whether it was one of its session's admitted operations.</returns>
    protected bool CountNoMore()
    {
        bool wasAdmitted = _isAdmitted;
        if (_counted != 0) Session.Core.PendingMemory.Count(-_counted);
        _counted = 0;
        _isAdmitted = false;
        Key = Key.Reusable;
        Blocks = null;
        return wasAdmitted;
    }

    private void Open()
    {
        if (Session.Identity is not { } identity) return;
        identity.Open(Serial);
        _isOpen = true;
    }

    private void Admit()
    {
        if (_isAdmitted) return;
        _isAdmitted = true;
        Count();
    }

    private void Count()
    {
        _counted = PendingMemory.OperationBytes + Key.SlotSize + Guess;
        Session.Core.PendingMemory.Count(_counted);
    }

    /// <summary>Walks the chain on disk from the address that an attempt needs, down to its floor.</summary>
    private void BeginWalk(Attempt attempt)
    {
        Aim(attempt);
        _head = null;
        ReadQueue? own = OwnQueue(attempt)?.Beside(Walked.Reader!);
        if (IsAwaited && !_isAdmitted && !Session.Pending.TryAdmit(this)) return;
        if (IsAwaited) Admit();
        ReadNext(own);
        WakeCollector(own);
    }

    // The I/O thread, which continues awaited operations, does not poll a session's own queue. Nor does the owner while
    // it waits, if another thread has continued the operation: the queue was idle when the wait began.
    private ReadQueue? OwnQueue(Attempt attempt) =>
        !IsAwaited && attempt == Session.RunnerOf(Tier).Attempt ? Session.Pending.OwnReads : null;

    // A commit may have reached its wait-pending phase since a read has begun: then the I/O thread may have polled its
    // queue before.
    private void WakeCollector(ReadQueue? own)
    {
        if (own is null || (Probe.On && Probe.Has(SeededBug.ReadWakesNobody))) return;
        if (Session.Core.Commits.CollectsPending) IOThread.Of(Tier).Wake();
    }

    /// <inheritdoc/>
    protected sealed override void OnWalked() => BecomeReady();

    /// <inheritdoc/>
    protected sealed override bool TryTakeShare(long bytes)
    {
        _head = null;
        ReturnShare();
        return Session.Core.PendingMemory.TryTake(this, bytes);
    }

    /// <inheritdoc/>
    protected sealed override void GrowShare(long bytes) => Session.Core.PendingMemory.Grow(this, bytes);

    /// <inheritdoc/>
    protected sealed override void ReturnShare() => Session.Core.PendingMemory.Return(this);

    /// <summary>Runs the algorithm again on a session, and ends the operation if that succeeds.</summary>
    /// <returns>Whether the operation has made progress.</returns>
    public abstract bool ResumeOn(LogSession session);

    /// <summary>Fails when the operation has retried for too long.</summary>
    /// <exception cref="FasterException">
    /// The time without progress exceeds the limit; the message names the cause.
    /// </exception>
    protected void CheckTimeout(Outcome outcome) => _stall.Check(outcome);

    /// <inheritdoc cref="StallTimeout.TryYield"/>
    protected bool TryYield(bool mayBlock) => _stall.TryYield(mayBlock);

    /// <summary>
    /// Before a wait for others of whom one may wait for a share: who holds the bucket, or a unit that a commit waits
    /// for. What was read is read again.
    /// </summary>
    protected void DropShare()
    {
        if (Share.Held != 0) Release();
    }

    /// <summary>Hands the operation to the thread that continues it.</summary>
    protected void BecomeReady()
    {
        // Once handed on, the operation may end, and its object may be reused.
        (CommitState commits, IOThread ioThread) = (Session.Core.Commits, IOThread.Of(Tier));
        if (IsAwaited || commits.CollectsPending)
        {
            ioThread.Resume(this);
            return;
        }

        Session.Pending.AddReady(this);
        // A commit may have reached its wait-pending phase between: then the I/O thread checks all sessions.
        if (commits.CollectsPending) ioThread.Wake();
    }

    private void ReadEntry(Attempt attempt)
    {
        ReadQueue? own = OwnQueue(attempt);
        attempt.WantedIn.Entries.ReadEntry(Hash, _onEntryRead ??= OnEntryRead, own);
        WakeCollector(own); // with a queue of its own, no other thread than this one ends the operation
    }

    private void OnEntryRead(Exception? error)
    {
        Failure = error;
        BecomeReady();
    }

    // Apart from StartWaiting, which would otherwise allocate the closure for every read.
    private void WaitForBucket()
    {
        DropShare();
        CommitState commits = Session.Core.Commits;
        commits.Gate.ParkUntil(() => !commits.IsHeldUp(Hash, Version), BecomeReady);
    }

    // A value that goes to its reader piece by piece takes no memory of the store.
    private void BeginGather(Attempt attempt, bool aside)
    {
        (LargeHead head, long address) = (attempt.Large.Wanted, attempt.Wanted);
        (Walked, Address) = (attempt.WantedIn, address);
        if (Destination is null && head.IsSound(address))
        {
            PendingMemory memory = Session.Core.PendingMemory;
            Disk.DropGathered();
            memory.Return(this);
            _head = head;
            if (!memory.TryTake(this, head.Length + (Prepared?.BasisBytes ?? 0))) return;
        }

        Gather(head, aside);
    }

    private void Gather(LargeHead head, bool aside)
    {
        long from = Address;
        Begin(() => GatherAsync(from, head), aside);
    }

    private void Write(LargeWrite prepared, bool aside) => Begin(() => WriteAsync(prepared), aside);

    private static void Begin(Func<Task> step, bool aside)
    {
        if (Probe.On && aside && Probe.Wait(null)) aside = false; // a test's scheduler has no thread aside
        _ = aside ? BackgroundTasks.Run(step) : step();
    }

    // GatherAsync and WriteAsync continue on other threads: the operation belongs to them until it is ready.
    private async Task GatherAsync(long address, LargeHead head)
    {
        try
        {
            if (!head.IsSound(address)) throw Walked.Storage!.NoRecord(address, 0);
            using LargeReader? reader = Walked.ReadFragments(head);
            if (reader is null)
            {
                Release(); // truncated since: the next attempt searches again
            }
            else if (Destination is { } destination)
            {
                using StreamingRead read = Session.Core.Commits.Streams.Begin(Session.Name, Serial, Version,
                    head.Length);
                await reader.CopyToAsync(destination, read.Move).Here();
                Target.SetGathered(address, null);
            }
            else
            {
                Target.SetGathered(address, await reader.GatherAsync().Here());
            }
        }
        catch (Exception e)
        {
            Failure = e is FasterException or OperationCanceledException ? e : new FasterException(
                ErrorReason.UserFunction,
                $"The writer that receives the value threw: {e.Message} Nothing is changed; read again.", e);
        }

        BecomeReady();
    }

    private async Task WriteAsync(LargeWrite prepared)
    {
        try
        {
            await prepared.WriteAsync(Tier, Hash).Here();
        }
        catch (Exception e)
        {
            Failure = e;
        }

        BecomeReady();
    }
}
