using Faster.Commits;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Probes;

namespace Faster.Sessions;

/// <summary>
/// Assigns the serial numbers of a session's operations (paper 004 §2): one after another, one for several operations,
/// or once more a number that the recovered commit excludes.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>An operation gets its number inside the epoch in which it is carried out or becomes pending.</item>
/// </list>
/// <para>Not thread-safe: it belongs to a session.</para>
/// </remarks>
/// <param name="session">The session.</param>
/// <param name="view">What it knows of the commit under way.</param>
internal sealed unsafe class SessionSerials(SessionCore session, CommitView view)
{
    private static readonly TimeSpan UnitTick = TimeSpan.FromSeconds(1);

    private readonly EpochTable _epochs = session.Epochs;
    private readonly CommitState _commits = view.Commits;

    private long _unit;     // the number that several operations share; 0: none
    private long _reissued; // the excluded number under which the next operation is issued again; 0: none

    /// <summary>Assigns a number to an operation that is carried out or becomes pending.</summary>
    /// <param name="slot">The session's slot.</param>
    /// <param name="isDone">Whether it is carried out.</param>
    /// <returns>The operation's number.</returns>
    public long Assign(EpochSlot* slot, bool isDone)
    {
        if (_unit != 0) return _unit;
        if (_reissued != 0) return Reissue(isDone);
        long serial = slot->Serial + 1;
        Volatile.Write(ref slot->Serial, serial);
        return serial;
    }

    /// <summary>Assigns numbers to operations that were carried out under the epoch that is still held.</summary>
    public void CountUnderEpoch(int count)
    {
        if (_unit == 0) session.Slot->Serial += count;
    }

    /// <summary>Begins several operations under one number; a commit covers all of them or none.</summary>
    public void BeginUnit(long serialNumber)
    {
        for (;;)
        {
            EpochSlot* slot = session.Enter();
            try
            {
                Refresh(slot);
                ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(serialNumber, slot->Serial);
                if (view.Phase != CommitPhase.Prepare)
                {
                    _unit = serialNumber;
                    slot->InUnit = true;
                    return;
                }
            }
            finally
            {
                _epochs.Leave(slot);
            }

            // A commit prepares: units that have begun before must end first, however long they take, and no new one
            // begins. The coordinator reports which sessions it waits for.
            Probe.Point(ProbePoint.Wait);
            _epochs.Drain();
            Func<bool> hasPassed = () => _commits.Current.Phase != CommitPhase.Prepare;
            if (!(Probe.On && Probe.Wait(hasPassed))) _commits.Gate.Wait(hasPassed, UnitTick);
        }
    }

    /// <summary>Ends what <see cref="BeginUnit"/> began.</summary>
    public void EndUnit()
    {
        EpochSlot* slot = session.Enter();
        Volatile.Write(ref slot->Serial, _unit);
        _unit = 0;
        Volatile.Write(ref slot->InUnit, false);
        _commits.Gate.Signal();
        _epochs.Leave(slot);
    }

    /// <summary>
    /// Sets the number of the next operation: above the last one, or an excluded one, under which the operation is
    /// issued again.
    /// </summary>
    public void SetNext(long serialNumber)
    {
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
            view.MayBeQuiet = !isOwed; // a hit at rest would take the next number
            if (isOwed) view.ForgetQuiet(slot);
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
