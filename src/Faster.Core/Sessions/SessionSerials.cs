using Faster.Commits;
using Faster.Epochs;
using Faster.Probes;

namespace Faster.Sessions;

/// <summary>
/// Assigns the serial numbers of a session's operations (paper 004 §2): one after another, one for all operations of a
/// unit, or once more a number that the recovered commit excludes.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>An operation gets its number inside the epoch in which it is carried out or becomes pending.</item>
/// <item>All operations of a unit belong to one version: no commit passes Prepare while a unit is open, and none is
/// begun in Prepare.</item>
/// <item>A unit's number becomes the session's last when the unit is whole, and never else.</item>
/// </list>
/// <para>Not thread-safe: it belongs to a session, except for <see cref="Spoil"/>.</para>
/// </remarks>
/// <param name="session">The session.</param>
/// <param name="view">What it knows of the commit under way.</param>
internal sealed unsafe class SessionSerials(SessionCore session, CommitView view)
{
    private static readonly TimeSpan UnitTick = TimeSpan.FromSeconds(1);

    private readonly EpochTable _epochs = session.Epochs;
    private readonly CommitState _commits = view.Commits;

    private bool _hasWritten;  // whether the unit has
    private Exception? _error; // of a pending operation since the last unit began
    private long _reissued;    // the excluded number under which the next operation is issued again; 0: none

    /// <summary>The number of the open unit; 0: none is open.</summary>
    public long Unit { get; private set; }

    /// <summary>Whether no operation of the open unit has failed.</summary>
    public bool IsWhole => _error is null;

    /// <summary>Whether the open unit has changed anything.</summary>
    public bool HasWritten => _hasWritten;

    /// <summary>Forgets all of the session, which has ended.</summary>
    /// <returns>False if it has a unit open.</returns>
    public bool TryLetGo()
    {
        (_hasWritten, _error, _reissued) = (false, null, 0);
        view.MayBeQuiet = true;
        return Unit == 0;
    }

    /// <summary>Assigns the numbers of another session's operations from now on.</summary>
    public void Serve(SessionCore next) => session = next;

    /// <summary>The number that the next operation gets.</summary>
    public long Next => Unit != 0 ? Unit : _reissued != 0 ? _reissued : session.Slot->Serial + 1;

    /// <summary>Assigns a number to an operation that is carried out or becomes pending.</summary>
    /// <param name="slot">The session's slot.</param>
    /// <param name="isDone">Whether it is carried out.</param>
    /// <param name="mutates">Whether it changes records.</param>
    /// <returns>The operation's number.</returns>
    public long Assign(EpochSlot* slot, bool isDone, bool mutates)
    {
        if (Unit != 0)
        {
            _hasWritten |= mutates;
            return Unit;
        }

        if (_reissued != 0) return Reissue(isDone);
        long serial = slot->Serial + 1;
        Volatile.Write(ref slot->Serial, serial);
        return serial;
    }

    /// <summary>Assigns numbers to operations that were carried out under the epoch that is still held.</summary>
    /// <param name="count">How many.</param>
    /// <param name="mutates">Whether they change records.</param>
    public void CountUnderEpoch(int count, bool mutates)
    {
        if (Unit == 0) session.Slot->Serial += count;
        else _hasWritten |= mutates && count != 0;
    }

    /// <summary>Begins a unit. None of the session's operations is pending.</summary>
    /// <exception cref="SessionMisuseException">A unit is open.</exception>
    public void BeginUnit(long serialNumber)
    {
        if (Unit != 0) SessionMisuse.ThrowInUnit(session.Name, Unit);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(serialNumber, session.Slot->Serial);
        while (!TryBeginUnit(serialNumber))
        {
            // A commit prepares: units that have begun before must end first, however long they take, and no new one
            // begins. The coordinator reports which sessions it waits for.
            Probe.Point(ProbePoint.Wait);
            _epochs.Drain();
            Func<bool> hasPassed = () => _commits.Current.Phase != CommitPhase.Prepare;
            if (!(Probe.On && Probe.Wait(hasPassed))) _commits.Gate.Wait(hasPassed, UnitTick);
        }
    }

    /// <summary>
    /// Whether the session's operations may be hits, which count themselves: in a unit only those of a batch are.
    /// </summary>
    public void AllowHits(bool may)
    {
        view.MayBeQuiet = may && _reissued == 0;
        if (!view.MayBeQuiet) view.ForgetQuiet(session.Slot);
    }

    /// <summary>Notes that an operation has failed that was pending. Called before it is counted off.</summary>
    public void Spoil(Exception error) => _error ??= error;

    /// <summary>
    /// Ends the unit. None of its operations is pending if it is whole. Otherwise it has failed, unless it has written
    /// nothing.
    /// </summary>
    /// <param name="isWhole">Whether nothing is missing but what failed after it was pending.</param>
    /// <returns>Why the unit has not ended as a whole, if anything is known; or null.</returns>
    public Exception? EndUnit(bool isWhole)
    {
        Exception? error = isWhole ? _error : null;
        isWhole &= error is null;
        if (!isWhole && _hasWritten) error = session.Fail(new FailedUnit(session.Name, Unit, error), view.Version);
        EpochSlot* slot = session.Enter();
        if (isWhole) Volatile.Write(ref slot->Serial, Unit);
        Unit = 0;
        AllowHits(true);
        Volatile.Write(ref slot->InUnit, false);
        _commits.Gate.Signal();
        _epochs.Leave(slot);
        return error;
    }

    /// <summary>
    /// Sets the number of the next operation: above the last one, or an excluded one, under which the operation is
    /// issued again.
    /// </summary>
    /// <exception cref="SessionMisuseException">A unit is open.</exception>
    public void SetNext(long serialNumber)
    {
        if (Unit != 0) SessionMisuse.ThrowInUnit(session.Name, Unit);
        EpochSlot* slot = session.Enter();
        try
        {
            Refresh(slot);
            bool isOwed = serialNumber <= slot->Serial && session.Entry is { } entry
                && entry.ExcludedSerials.Owes(serialNumber);
            if (!isOwed)
            {
                if (serialNumber <= slot->Serial) throw NotNext(serialNumber, slot->Serial);
                Volatile.Write(ref slot->Serial, serialNumber - 1);
            }

            _reissued = isOwed ? serialNumber : 0;
            AllowHits(true); // but not at rest, where a hit would take the next number
        }
        finally
        {
            _epochs.Leave(slot);
        }
    }

    private static ArgumentOutOfRangeException NotNext(long serialNumber, long last) => new(
        nameof(serialNumber), serialNumber,
        $"The next serial number must be above the last one, {last}, or one that RecoveredPoint.Excluded lists and "
        + "that has not been issued again.");

    private bool TryBeginUnit(long serialNumber)
    {
        EpochSlot* slot = session.Enter();
        if (Probe.On && Probe.Has(SeededBug.UnitNumberedEarly)) slot->Serial = serialNumber;
        Refresh(slot);
        bool mayBegin = view.Phase != CommitPhase.Prepare;
        if (mayBegin)
        {
            (Unit, _hasWritten, _error) = (serialNumber, false, null);
            slot->InUnit = true;
            AllowHits(false);
        }

        _epochs.Leave(slot);
        return mayBegin;
    }

    // The commit point is passed before a number changes.
    private void Refresh(EpochSlot* slot)
    {
        if (!_epochs.IsQuiet(slot->Quiet)) view.Refresh(slot);
    }

    // An operation that is issued again takes effect in this version or, if it waits in relaxed order, in a later
    // one.
    private long Reissue(bool isDone)
    {
        long number = _reissued;
        _reissued = 0;
        view.MayBeQuiet = true;
        if (!isDone && _commits.Order == PendingOrder.Relaxed) return number;
        session.Entry!.ExcludedSerials.Settle(number, view.Version);
        session.Registry.NoteWork(view.Version);
        return number;
    }
}
