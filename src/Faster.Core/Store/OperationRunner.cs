using System.Runtime.CompilerServices;
using Faster.Commits;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Sessions;

namespace Faster;

/// <summary>
/// Carries a session's operations out in every phase of a commit, again and again or later if need be: all but the one
/// attempt at rest that mostly suffices, which the session makes itself.
/// </summary>
/// <remarks>
/// Invariant: between attempts nothing is held, neither epoch nor latch; an operation gets its serial number inside the
/// epoch in which it is carried out or goes pending. Not thread-safe: it belongs to a session.
/// </remarks>
internal sealed unsafe class OperationRunner<TProbe>(FasterSession<TProbe> session)
    where TProbe : struct, IProbe
{
    private static readonly TimeSpan UnitTick = TimeSpan.FromSeconds(1);

    private readonly EpochTable<TProbe> _epochs = session.Store.Epochs;
    private readonly Attempt<TProbe> _attempt = session.Attempt;
    private readonly CommitState<TProbe> _commits = session.Store.Commits;
    private readonly CommitView<TProbe> _view = new(session.Store.Commits, session.Attempt);
    private readonly nint _mark = session.Mark;

    // The number, left out by the commit that was recovered, under which the next operation is issued again; 0: none.
    private long _reissued;

    /// <summary>One attempt at an operation: enters the epoch, tries, leaves.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="pending">The operation as it was suspended, or null.</param>
    /// <param name="prepared">A new value whose chunks are written, or are to be, or null.</param>
    public Outcome TryOnce<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, PendingOperation<TProbe>? pending,
        LargeWrite<TProbe>? prepared = null)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        EpochSlot* slot = session.Enter();
        return TryEntered<TProtocol, TKey, TOperation>(slot, key, hash, ref operation, pending, prepared);
    }

    /// <summary>Tries and fails and waits, outside every epoch between attempts, until an operation is done.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public Status Persist<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, Outcome outcome, LargeWrite<TProbe>? prepared = null)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        try
        {
            using SessionGate<TProbe>.Call call = session.BeginCall();
            return PersistWith<TProtocol, TKey, TOperation>(key, hash, ref operation, outcome, ref prepared);
        }
        finally
        {
            prepared?.End(); // unless it has been handed on
        }
    }

    private Status PersistWith<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, Outcome outcome, ref LargeWrite<TProbe>? prepared)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        var patience = new Patience<TProbe>(session.Store);
        bool metFuzzy = false;
        if (prepared is not null) _attempt.Large.Prepared = null;
        while (outcome > Outcome.NotFound)
        {
            if (outcome == Outcome.Oversized) prepared = _attempt.Large.Prepared ?? prepared;
            switch (outcome)
            {
                case Outcome.Suspended:
                    prepared = null;
                    return Status.Pending;
                case Outcome.Oversized when !operation.IsAwaited:
                    prepared!.Write(session.Store, hash);
                    patience = new Patience<TProbe>(session.Store);
                    break;
                case Outcome.Large:
                case Outcome.Oversized:
                case Outcome.OnDisk:
                case Outcome.NoRoom when operation.IsAwaited && session.Store.CanPark:
                case Outcome.Latched when _commits.IsHeldUp(hash, _view.Version):
                    if (outcome is Outcome.NoRoom or Outcome.Oversized) session.Store.ThrowIfLogFailed();
                    outcome = Suspend<TProtocol, TKey, TOperation>(key, hash, ref operation, prepared);
                    patience.Check(outcome);
                    continue;
                case Outcome.NoRoom:
                    session.Store.Log.WaitForRoom();
                    patience.Check(outcome);
                    break;
                case Outcome.Growing:
                    bool lacksRoom = HelpResize();
                    if (lacksRoom) session.Store.Log.WaitForRoom();
                    patience.Check(lacksRoom ? Outcome.NoRoom : outcome);
                    break;
                case Outcome.Shift:
                case Outcome.Expired:
                    break;
                case Outcome.Fuzzy:
                    if (!metFuzzy) session.Store.CountFuzzy();
                    metFuzzy = true;
                    patience.Wait(outcome);
                    break;
                default:
                    patience.Wait(outcome);
                    break;
            }

            outcome = TryOnce<TProtocol, TKey, TOperation>(key, hash, ref operation, null, prepared);
        }

        return (Status)(int)outcome;
    }

    /// <summary>Helps a resize of the index on, or waits a little for those who do.</summary>
    /// <returns>Whether the log must have room first.</returns>
    public bool HelpResize()
    {
        session.Store.Index.HelpResize(session.Slot, out bool lacksRoom);
        return lacksRoom;
    }

    /// <summary>Begins several operations under one serial number, which a commit takes all or none of.</summary>
    public void BeginUnit(long serialNumber)
    {
        for (;;)
        {
            EpochSlot* slot = session.Enter();
            try
            {
                Refresh(slot);
                ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(serialNumber, slot->Serial);
                if (_view.TryBeginUnit(slot, serialNumber)) return;
            }
            finally
            {
                _epochs.Leave(slot);
            }

            // A commit prepares: those who have begun before are to end first, however long they take, and nobody
            // begins. Whom it waits for the coordinator tells.
            TProbe.Point(ProbePoint.Wait);
            _epochs.Drain();
            Func<bool> hasPassed = () => _commits.Current.Phase != CommitPhase.Prepare;
            if (!TProbe.Wait(hasPassed)) _commits.Gate.Wait(hasPassed, UnitTick);
        }
    }

    /// <summary>Ends what <see cref="BeginUnit"/> began.</summary>
    public void EndUnit()
    {
        EpochSlot* slot = session.Enter();
        _view.EndUnit(slot);
        _epochs.Leave(slot);
    }

    /// <summary>
    /// The attempt that mostly suffices once records may expire, if the epoch that the session has entered is quiet.
    /// </summary>
    /// <param name="slot">The session's slot.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash, whose entry is found again: to keep it would cost those who hit without.</param>
    /// <param name="operation">The operation.</param>
    /// <returns>Whether it is done, and the epoch left; if not, the session is inside the current one.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryExpiring<TProtocol, TKey, TOperation>(
        EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (!_epochs.IsQuiet(slot->Quiet))
        {
            _epochs.Refresh(slot);
            return false;
        }

        if (!_attempt.Clock.MayExpire) return false;
        ulong word = _attempt.Quiet.FindFirst(hash);
        if (!TryGuarded<TProtocol, TKey, TOperation>(key, word, ref operation)) return false;
        slot->Serial++;
        _epochs.Leave(slot);
        return true;
    }

    // Under a guard whether or not the operation runs user code: the clock is the user's, too.
    private bool TryGuarded<TProtocol, TKey, TOperation>(scoped TKey key, ulong word, ref TOperation operation)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        try
        {
            using UserCode.Scope inside = UserCode.Enter(_mark);
            return TProtocol.TryHitExpiring(_attempt, key, word, ref operation);
        }
        catch
        {
            session.Abandon();
            throw;
        }
    }

    /// <summary>Says which number the next operation carries.</summary>
    public void SetNextSerial(long serialNumber)
    {
        EpochSlot* slot = session.Enter();
        try
        {
            Refresh(slot);
            bool isOwed = serialNumber <= slot->Serial && session.Pending.LeftOut.Owes(serialNumber);
            if (!isOwed)
            {
                if (serialNumber <= slot->Serial) throw NotNext(serialNumber, slot->Serial);
                Volatile.Write(ref slot->Serial, serialNumber - 1);
            }

            _reissued = isOwed ? serialNumber : 0;
            if (isOwed) slot->Quiet = 0; // a hit at rest would count on
        }
        finally
        {
            _epochs.Leave(slot);
        }
    }

    /// <summary>Enters the epoch.</summary>
    /// <param name="slot">The session's slot.</param>
    /// <returns>Whether the store is at rest, and its index stable.</returns>
    public bool EnterAtRest(out EpochSlot* slot)
    {
        slot = session.Enter();
        Refresh(slot);
        return slot->Quiet != 0;
    }

    /// <summary>Counts operations that were carried out under the epoch that is still held.</summary>
    public void AcceptUnderEpoch(int count)
    {
        if (!_view.IsInUnit) session.Slot->Serial += count;
    }

    /// <summary>One attempt in whatever phase the store is; leaves the epoch that was entered.</summary>
    public Outcome TryEntered<TProtocol, TKey, TOperation>(
        EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation, PendingOperation<TProbe>? pending,
        LargeWrite<TProbe>? prepared = null)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
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
            outcome = TryInPhase<TProtocol, TKey, TOperation>(key, hash, ref operation, pending);
            if (outcome <= Outcome.NotFound)
            {
                if (pending is null) Accept(slot, isDone: true);
                else pending.Settle(_view.Version);
            }
        }
        catch
        {
            _attempt.Clock.Return();
            session.Abandon();
            throw;
        }

        if (pending is not null) _attempt.Clock.Return();
        if (outcome != Outcome.Oversized) _attempt.Large.Prepared = null;
        _attempt.LeaveBucket();
        _attempt.Unpin();
        _epochs.Leave(slot);
        return outcome;
    }

    private Outcome TryInPhase<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, PendingOperation<TProbe>? pending)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (_view.IsPoisoned && TProtocol.Mutates) session.Store.ThrowPoisoned();
        DiskRecord? disk = pending?.Disk;
        if (_view.Phase == CommitPhase.Rest)
            return TProtocol.TryUnderEpoch<TKey, AtRest>(_attempt, key, hash, ref operation, disk);

        // An operation that waits in its place holds up the next version in its bucket: it needs no latch.
        bool holdsPlace = pending is not null && _commits.Order == PendingOrder.Strict;
        long version = holdsPlace ? pending!.Version : _view.Version;
        if (version != _view.Version) _view.WorkAt(version);
        try
        {
            if (version != _view.CommittingVersion)
                return TProtocol.TryUnderEpoch<TKey, AfterCommit>(_attempt, key, hash, ref operation, disk);
            if (!holdsPlace && !_attempt.TryEnterShared(hash)) return Outcome.Shift;
            return TProtocol.TryUnderEpoch<TKey, OfCommit>(_attempt, key, hash, ref operation, disk);
        }
        finally
        {
            if (version != _view.Version) _view.WorkAt(_view.Version);
        }
    }

    /// <summary>Lets an operation wait, unless it can be carried out after all: one more attempt decides.</summary>
    private Outcome Suspend<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, LargeWrite<TProbe>? prepared)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (!operation.IsAwaited) session.Pending.MakeWay(session);
        EpochSlot* slot = session.Enter();
        Pending<TProbe, TProtocol, TOperation>? pending = null;
        Outcome outcome = Outcome.Retry;
        bool counted = false;
        _attempt.Large.Prepared = prepared;
        try
        {
            using UserCode.Scope inside = UserCode.Enter(_mark);

            // Counted first: if the attempt then finds the key's records as they were, nobody can get between.
            Refresh(slot);
            long version = _view.Version;
            bool strict = _commits.Order == PendingOrder.Strict;
            counted = strict && _commits.TryAddPending(hash, version);
            if (counted || !strict)
                outcome = TryInPhase<TProtocol, TKey, TOperation>(key, hash, ref operation, null);
            if (outcome <= Outcome.NotFound)
            {
                Accept(slot, isDone: true);
            }
            else if (outcome is Outcome.OnDisk or Outcome.NoRoom or Outcome.Latched or Outcome.Large
                or Outcome.Oversized)
            {
                pending = Pending<TProbe, TProtocol, TOperation>.Capture(session, key, hash, ref operation);
                pending.Accept(Accept(slot, isDone: false), version);
                counted = false;
            }
        }
        catch
        {
            if (counted) _commits.RemovePending(hash, _view.Version);
            session.Abandon();
            throw;
        }

        if (counted) _commits.RemovePending(hash, _view.Version);
        _attempt.LeaveBucket();
        _attempt.Unpin();
        _epochs.Leave(slot);
        if (pending is not null) pending.Wait(outcome, _attempt, aside: false);
        _attempt.Large.Prepared = null;
        return pending is null ? outcome : Outcome.Suspended;
    }

    public void Refresh(EpochSlot* slot)
    {
        if (_epochs.IsQuiet(slot->Quiet)) return;
        _view.Refresh(slot);
        if (_reissued != 0) slot->Quiet = 0;
    }

    private static ArgumentOutOfRangeException NotNext(long serialNumber, long last) => new(
        nameof(serialNumber), serialNumber,
        $"The next serial number must be above the last one, {last}, or one that RecoveredPoint.Excluded lists and "
        + "that has not been issued again.");

    // An operation that is issued again has its effect in this version, or, when it waits in relaxed order, later.
    private long Accept(EpochSlot* slot, bool isDone)
    {
        if (_reissued == 0 || _view.IsInUnit) return _view.Accept(slot);
        long number = _reissued;
        _reissued = 0;
        if (!isDone && _commits.Order == PendingOrder.Relaxed) return number;
        session.Pending.LeftOut.Settle(number, _view.Version);
        session.Store.Sessions.NoteWork(_view.Version);
        return number;
    }
}
