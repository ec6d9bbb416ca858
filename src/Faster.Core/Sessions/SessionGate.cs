using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Sessions;

/// <summary>
/// Who may use a session's epoch slot: the session's caller until it is shut, and whoever closes the session once no
/// call is under way. Entering costs the caller no interlocked operation, and no instruction more than the look at the
/// current epoch, which it takes anyway.
/// </summary>
/// <remarks>
/// <para><b>Protocol.</b> <i>Caller</i>: announces its epoch, and then looks through the slot's <c>Counters</c> whether
/// that is the current one. A call that may leave its epoch and go on counts itself first (<see cref="TryBeginCall"/>),
/// and then looks whether the gate is shut. <i>Closer</i>: (1) shuts the gate, which lets <c>Counters</c> lead to some
/// that equal nothing; (2) passes a process-wide barrier; (3) looks whether the slot is idle and no call is counted.
/// If so the session is the closer's, forever; if not the gate is opened again, or the closer looks again later.</para>
/// <para><b>Why nobody is inside when the closer has it.</b> The barrier makes every thread pass a fence at some moment
/// within (2). A caller that announced, or counted itself, before its fence is seen in (3), unless it has left: then
/// its accesses are over. One that announces after its fence looks through <c>Counters</c> after it, too, and sees (1):
/// it goes the long way, finds the gate shut, leaves and is refused, without having read anything that the epoch
/// protects. (One that has noted no epoch as quiet announces nothing at first: so it announces the current one before
/// it looks.) A call that is counted keeps the closer out as a whole, so it need not look again each time that it
/// enters.</para>
/// <para><b>What late callers touch.</b> The slot and the counters alone: memory that stays as long as the session is
/// reachable (<see cref="SlotLease"/>), so also after the store has freed all else. They announce an epoch for a
/// moment, which delays actions and endangers nothing.</para>
/// <para>What it does not see is what the check on entry misses: of two calls that overlap, which is misuse, the one
/// that leaves first ends the protection of the other. Thread-safe.</para>
/// </remarks>
internal sealed unsafe class SessionGate<TProbe>(EpochTable<TProbe> epochs, string owner)
    where TProbe : struct, IProbe
{
    private const int Free = 0, Trying = 1, Taken = 2, Ended = 3;

    private readonly SlotLease _lease = epochs.Lease(owner);
    private int _staysShut;
    private int _claim; // one of the four

    /// <summary>The session's slot, valid as long as the gate is reachable.</summary>
    public EpochSlot* Slot => _lease.Slot;

    /// <summary>The serial number of the session's last accepted operation.</summary>
    public long Serial
    {
        get
        {
            long serial = Volatile.Read(ref Slot->Serial);
            GC.KeepAlive(this);
            return serial;
        }
    }

    /// <summary>Who has the slot, for messages.</summary>
    public string Owner => owner;

    /// <summary>Whether no call may begin.</summary>
    public bool IsShut => Volatile.Read(ref Slot->Counters) != (nint)epochs.Counters;

    /// <summary>Whether the session is closed, all of it.</summary>
    public bool IsEnded => Volatile.Read(ref _claim) == Ended;

    /// <summary>Whether a call is under way, as far as can be seen just now.</summary>
    public bool IsInUse => Volatile.Read(ref Slot->Epoch) != 0 || Volatile.Read(ref Slot->Calls) != 0;

    /// <summary>Whether a caller that has announced its epoch may stay.</summary>
    public bool MayStay()
    {
        TProbe.Point(ProbePoint.SessionGate);
        return !IsShut || Volatile.Read(ref Slot->Calls) != 0;
    }

    /// <summary>Begins a call that may leave its epoch and go on. Calls nest.</summary>
    /// <param name="call">Ends the call when it is disposed of.</param>
    /// <returns>False: the gate is shut, and nothing has begun.</returns>
    public bool TryBeginCall(out Call call)
    {
        call = new Call(this);
        TProbe.Point(ProbePoint.SessionGate);
        bool isNested = Interlocked.Increment(ref Slot->Calls) > 1;
        TProbe.Point(ProbePoint.SessionGate);
        if (isNested || !IsShut) return true;
        call.Dispose();
        return false;
    }

    /// <summary>Lets no call begin from now on; those under way go on.</summary>
    public void Shut()
    {
        Interlocked.Exchange(ref _staysShut, 1);
        Volatile.Write(ref Slot->Counters, (nint)EpochCounters.Shut);
    }

    /// <summary>Takes the session from its callers, unless a call is under way.</summary>
    /// <param name="isInUse">Whether one is; then all is as it was.</param>
    /// <returns>Whether this call took it; true for one call only.</returns>
    public bool TryClaim(out bool isInUse)
    {
        isInUse = false;
        if (Interlocked.CompareExchange(ref _claim, Trying, Free) != Free) return false;
        TProbe.Point(ProbePoint.SessionGate);
        bool before = TProbe.Has(SeededBug.ClaimLooksFirst) && !IsInUse;
        TProbe.Point(ProbePoint.SessionGate);
        Volatile.Write(ref Slot->Counters, (nint)EpochCounters.Shut);
        if (!TProbe.TakesTurns) Interlocked.MemoryBarrierProcessWide();
        TProbe.Point(ProbePoint.SessionGate);
        isInUse = !before && IsInUse;
        if (isInUse && Volatile.Read(ref _staysShut) == 0) Reopen();
        Volatile.Write(ref _claim, isInUse ? Free : Taken);
        return !isInUse;
    }

    /// <summary>The session, which was claimed, is closed.</summary>
    public void End()
    {
        Volatile.Write(ref _claim, Ended);
        GC.KeepAlive(this);
    }

    /// <summary>A call that is counted.</summary>
    internal readonly struct Call(SessionGate<TProbe> gate) : IDisposable
    {
        /// <summary>Ends the call.</summary>
        public void Dispose()
        {
            Interlocked.Decrement(ref gate.Slot->Calls);
            GC.KeepAlive(gate);
        }
    }

    // Who shuts it for good says so first: one of the two sees what the other wrote.
    private void Reopen()
    {
        Interlocked.Exchange(ref Slot->Counters, (nint)epochs.Counters);
        if (Volatile.Read(ref _staysShut) != 0) Volatile.Write(ref Slot->Counters, (nint)EpochCounters.Shut);
    }
}
