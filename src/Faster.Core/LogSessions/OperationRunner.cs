using System.Runtime.CompilerServices;
using Faster.Commits;
using Faster.Contracts;
using Faster.Epochs;
using Faster.LogSessions.Pending;
using Faster.Operations;
using Faster.Operations.Journaling;
using Faster.Operations.Large;
using Faster.Operations.Waiting;
using Faster.Sessions;
using Faster.Tiers;

namespace Faster.LogSessions;

/// <summary>
/// Runs a session's operations in every phase of a commit, with retries and waits if necessary: all except the attempt
/// of a hit, which the session makes itself.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Between attempts nothing is held, neither epoch nor latch.</item>
/// <item>An operation gets its serial number inside the epoch in which it is carried out or becomes pending.</item>
/// </list>
/// <para>Not thread-safe: it belongs to a session.</para>
/// </remarks>
internal sealed unsafe class OperationRunner
{
    private LogSession _session;
    private readonly EpochTable _epochs;
    private readonly Attempt _attempt;
    private readonly Tier _tier;
    private readonly CommitState _commits;
    private readonly SessionCommitState _view;
    private readonly nint _mark;
    private readonly bool _isFirst;

    /// <summary>Creates the runner of a session's operations in one tier.</summary>
    /// <param name="session">The session.</param>
    /// <param name="attempt">What it holds during an attempt in that tier.</param>
    public OperationRunner(LogSession session, Attempt attempt)
    {
        (_session, _attempt, _tier) = (session, attempt, attempt.Tier);
        (_epochs, _commits) = (session.Core.Epochs, session.Core.Commits);
        // A quiet epoch is one in which the first tier's index is stable, and the state as its view has it.
        _isFirst = _tier == session.Core.Tiers[0];
        _view = new SessionCommitState(_commits, attempt) { MayBeQuiet = _isFirst };
        _mark = session.Mark;
        Serials = new SessionSerials(session, _view);
        if (attempt.Entry is { } entry) Acknowledgment = new Acknowledgment(session, entry, Serials);
    }

    /// <summary>Makes what was done durable; null unless each operation is.</summary>
    public Acknowledgment? Acknowledgment { get; }

    /// <summary>What the session holds during an attempt.</summary>
    public Attempt Attempt => _attempt;

    /// <summary>The serial numbers of the session's operations.</summary>
    public SessionSerials Serials { get; }

    /// <summary>Runs the operations of another session from now on.</summary>
    public void Serve(LogSession next)
    {
        _session = next;
        Serials.Serve(next);
        Acknowledgment?.Serve(next);
    }

    /// <summary>Makes one attempt at an operation: enters the epoch, tries, leaves the epoch.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="pending">The pending operation that is continued, or null.</param>
    /// <param name="prepared">A new value in fragments, written or not yet written, or null.</param>
    public Outcome TryOnce<TAlgorithm, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, PendingOperation? pending,
        LargeWrite? prepared = null)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        EpochSlot* slot = _session.Enter();
        return TryEntered<TAlgorithm, TKey, TOperation>(slot, key, hash, ref operation, pending, prepared);
    }

    /// <summary>
    /// Retries an operation until it is done or pending; waits between attempts, outside every epoch, as
    /// <see cref="WaitRule"/> says.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public Status RetryUntilDone<TAlgorithm, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, Outcome outcome, LargeWrite? prepared = null)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        try
        {
            using SessionGate.Call call = _session.BeginCall();
            return RetryWith<TAlgorithm, TKey, TOperation>(key, hash, ref operation, outcome, ref prepared);
        }
        finally
        {
            prepared?.End(); // unless it was handed on
        }
    }

    private Status RetryWith<TAlgorithm, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, Outcome outcome, ref LargeWrite? prepared)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        var stall = new StallTimeout(_tier);
        Waiter waiter = operation.IsAwaited && _tier.CanPark ? Waiter.AwaitedCaller : Waiter.Caller;
        bool metFuzzy = false;
        if (prepared is not null) _attempt.Large.Prepared = null;
        while (outcome > Outcome.NotFound)
        {
            if (outcome == Outcome.Oversized) prepared = _attempt.Large.Prepared ?? prepared;
            if (outcome == Outcome.Fuzzy && !metFuzzy)
            {
                metFuzzy = true;
                _session.Core.CountFuzzy();
            }

            bool isHeldUp = outcome == Outcome.BucketLatched && _commits.IsHeldUp(hash, _view.Version);
            WaitForm form = WaitRule.FormOf(outcome, waiter, isHeldUp);
            if (form == WaitForm.Pending)
            {
                if (outcome is Outcome.AllocationFailed or Outcome.Oversized) _tier.ThrowIfLogFailed();
                outcome = Suspend<TAlgorithm, TKey, TOperation>(key, hash, ref operation, prepared);
                if (outcome == Outcome.Suspended)
                {
                    prepared = null; // handed on
                    return Status.Pending;
                }

                stall.Check(outcome);
                continue;
            }

            Wait(form, outcome, hash, prepared, ref stall);
            outcome = TryOnce<TAlgorithm, TKey, TOperation>(key, hash, ref operation, null, prepared);
        }

        return (Status)(int)outcome;
    }

    /// <summary>Waits on the caller's thread.</summary>
    private void Wait(WaitForm form, Outcome outcome, ulong hash, LargeWrite? prepared, ref StallTimeout stall)
    {
        switch (form)
        {
            case WaitForm.Yield:
                stall.Yield(outcome);
                return;
            case WaitForm.Write:
                prepared!.Write(_tier, hash);
                stall = new StallTimeout(_tier); // that was progress
                return;
            case WaitForm.Resize when HelpResize(): // the operation has no bucket yet, so it can't go pending for space
                outcome = Outcome.AllocationFailed;
                _attempt.WantedIn.Log.WaitForSpace();
                break;
            case WaitForm.Space:
                _tier.Log.WaitForSpace();
                break;
            case WaitForm.Commit:
                _session.Core.Journal!.WaitForSpace();
                break;
        }

        stall.Check(outcome);
    }

    /// <summary>Helps with a resize of the index, or waits briefly for the threads that do.</summary>
    /// <returns>Whether the resize needs space in the log first.</returns>
    public bool HelpResize()
    {
        _attempt.WantedIn.Entries.HelpResize(_session.Slot, out bool lacksSpace);
        return lacksSpace;
    }

    /// <summary>Makes the session's next operation check the store again.</summary>
    public void ForgetQuiet() => _view.ForgetQuiet(_session.Slot);

    /// <summary>Enters the epoch, and refreshes the session's view of commit and index.</summary>
    /// <param name="slot">The session's slot.</param>
    /// <returns>Whether the epoch is quiet.</returns>
    public bool EnterQuiet(out EpochSlot* slot)
    {
        slot = _session.Enter();
        Refresh(slot);
        return slot->Quiet != 0;
    }

    /// <summary>Makes one attempt in the quiet epoch that the session has entered, and stays in it.</summary>
    public Outcome TryQuiet<TAlgorithm, TKey, TOperation>(scoped TKey key, ulong hash, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        Outcome outcome = TryInPhase<TAlgorithm, TKey, TOperation>(key, hash, ref operation, null);
        _attempt.Bucket.Leave();
        _attempt.Pin.Leave();
        return outcome;
    }

    /// <summary>Makes one attempt, in any phase of a commit; leaves the epoch that the session has entered.</summary>
    public Outcome TryEntered<TAlgorithm, TKey, TOperation>(
        EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation, PendingOperation? pending,
        LargeWrite? prepared = null)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        Outcome outcome;
        try
        {
            using UserCode.Scope inside = UserCode.Enter(_mark);
            _attempt.Large.Prepared = prepared;
            Refresh(slot);
            if (pending is not null) _attempt.Clock.WorkWith(pending.Life);
            outcome = TryInPhase<TAlgorithm, TKey, TOperation>(key, hash, ref operation, pending);
            if (outcome <= Outcome.NotFound)
            {
                if (pending is null) Serials.Assign(slot, isDone: true, TAlgorithm.Mutates);
                else pending.Settle(_view.Version);
            }
        }
        catch
        {
            _attempt.Clock.Return();
            Abandon();
            throw;
        }

        if (pending is not null) _attempt.Clock.Return();
        if (outcome != Outcome.Oversized) _attempt.Large.Prepared = null;
        _attempt.Bucket.Leave();
        _attempt.Pin.Leave();
        _epochs.Leave(slot);
        return outcome;
    }

    // Where operations are journaled, an attempt holds the lock of its key's stripe.
    private Outcome TryInPhase<TAlgorithm, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, PendingOperation? pending)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (!TAlgorithm.IsJournaled || _attempt.Entry is not { Journal.IsOn: true } entry)
            return TryAtVersion<TAlgorithm, TKey, TOperation>(key, hash, ref operation, pending);
        bool isInUnit = pending?.IsInUnit ?? Serials.Unit != 0;
        bool mayUseReserve = isInUnit && _view.Phase == CommitPhase.Prepare; // the commit waits for the unit
        JournalSession session = (pending?.Session ?? _session).Identity!;
        long serial = pending?.Serial ?? Serials.Next;
        Outcome begun = entry.TryBegin(hash, session, serial, isInUnit, mayUseReserve);
        return begun == Outcome.Ok
            ? entry.End(TryAtVersion<TAlgorithm, TKey, TOperation>(key, hash, ref operation, pending))
            : begun;
    }

    private Outcome TryAtVersion<TAlgorithm, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, PendingOperation? pending)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (_view.IsPoisoned && TAlgorithm.Mutates) _session.Core.ThrowIfPoisoned();
        _attempt.Begin();
        ChainReadResult? disk = pending?.Disk;
        if (_view.Phase == CommitPhase.Rest)
            return TAlgorithm.TryUnderEpoch<TKey, AtRest>(_attempt, key, hash, ref operation, disk);

        // Under strict order a pending operation holds up the next version in its bucket: it needs no latch.
        bool holdsPlace = pending is not null && _commits.Order == PendingOrder.Strict;
        long version = holdsPlace ? pending!.Version : _view.Version;
        if (version != _view.Version) _view.WorkAt(version);
        try
        {
            if (version != _view.CommittingVersion)
                return TAlgorithm.TryUnderEpoch<TKey, AfterCommit>(_attempt, key, hash, ref operation, disk);
            if (!holdsPlace && !_attempt.Bucket.TryEnterShared(hash)) return Outcome.CprShift;
            return TAlgorithm.TryUnderEpoch<TKey, OfCommit>(_attempt, key, hash, ref operation, disk);
        }
        finally
        {
            if (version != _view.Version) _view.WorkAt(_view.Version);
        }
    }

    /// <summary>Makes an operation pending, unless one more attempt carries it out.</summary>
    private Outcome Suspend<TAlgorithm, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, LargeWrite? prepared)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (!operation.IsAwaited) _session.Pending.MakeWay(_session);
        EpochSlot* slot = _session.Enter();
        TypedPendingOperation<TAlgorithm, TOperation>? pending = null;
        Outcome outcome = Outcome.Retry;
        bool counted = false;
        _attempt.Large.Prepared = prepared;
        try
        {
            using UserCode.Scope inside = UserCode.Enter(_mark);

            // Counted first: if the attempt then finds the key's records unchanged, no operation of the next version
            // has come between.
            Refresh(slot);
            long version = _view.Version;
            bool strict = _commits.Order == PendingOrder.Strict;
            counted = strict && _commits.TryAddPending(hash, version);
            if (counted || !strict)
                outcome = TryInPhase<TAlgorithm, TKey, TOperation>(key, hash, ref operation, null);
            if (outcome <= Outcome.NotFound)
            {
                Serials.Assign(slot, isDone: true, TAlgorithm.Mutates);
            }
            else if (WaitRule.MayPend(outcome))
            {
                pending = TypedPendingOperation<TAlgorithm, TOperation>.Capture(
                    _session, _tier, key, hash, ref operation);
                pending.Register(
                    Serials.Assign(slot, isDone: false, TAlgorithm.Mutates), version, TAlgorithm.IsJournaled);
                counted = false;
            }
        }
        catch
        {
            if (counted) _commits.RemovePending(hash, _view.Version);
            Abandon();
            throw;
        }

        if (counted) _commits.RemovePending(hash, _view.Version);
        _attempt.Bucket.Leave();
        _attempt.Pin.Leave();
        _epochs.Leave(slot);
        if (pending is not null) pending.StartWaiting(outcome, _attempt, aside: false);
        _attempt.Large.Prepared = null;
        return pending is null ? outcome : Outcome.Suspended;
    }

    /// <summary>Releases everything after user code has thrown.</summary>
    public void Abandon()
    {
        _attempt.Abandon();
        if (_session.Slot->Epoch != 0) _epochs.Leave(_session.Slot);
        GC.KeepAlive(_session); // which owns the slot
    }

    /// <summary>Refreshes the session's view of commit and index, unless its epoch is quiet.</summary>
    public void Refresh(EpochSlot* slot)
    {
        if (!_isFirst || !_epochs.IsQuiet(slot->Quiet)) _view.Refresh(slot);
    }
}
