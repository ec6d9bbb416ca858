using Faster.Contracts;
using Faster.Epochs;
using Faster.Invariants;

namespace Faster.Sessions;

/// <summary>
/// Decides which caller may use a session's epoch slot: the session's caller until the gate is shut, and the caller
/// that closes the session once no call is under way. Entering costs the caller no interlocked operation, and no
/// instruction beyond the check of the current epoch, which it makes anyway.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>When a caller has claimed the session, no call is under way and none begins: the claimer owns it for
/// good.</item>
/// <item>The claim goes from free over trying to taken and then ended, or from trying back to free.</item>
/// <item>The number of calls under way is never negative.</item>
/// </list>
/// <para><b>Algorithm.</b> <i>Caller</i>: announces its epoch, and then checks through the slot's <c>Counters</c>
/// whether that is the current one. A call that may leave its epoch and go on counts itself first
/// (<see cref="TryBeginCall"/>), and then checks whether the gate is shut. <i>Closer</i>: (1) shuts the gate by making
/// <c>Counters</c> point to a counter that equals no epoch; (2) executes a process-wide barrier; (3) checks whether the
/// slot is idle and no call is counted. If so, the closer owns the session permanently; if not, the gate is opened
/// again, or the closer checks again later.</para>
/// <para><b>Why no call is inside when the closer owns the session.</b> The barrier makes every thread pass a fence at
/// some moment within (2). A caller that announced or counted itself before its fence is seen in (3), unless it has
/// left: then its accesses are over. A caller that announces after its fence also reads <c>Counters</c> after it, and
/// sees (1): it takes the slow path, finds the gate shut, leaves, and is refused, without having read anything that the
/// epoch protects. (A caller that has noted no epoch as quiet announces none at first, and then announces the current
/// one before it checks.) A counted call keeps the closer out until it ends, so it need not check again each time that
/// it enters an epoch.</para>
/// <para><b>What late callers touch.</b> Only the slot and the counters: memory that stays as long as the session is
/// reachable (<see cref="SlotLease"/>), so even after the store has freed everything else. They announce an epoch for a
/// moment, which delays trigger actions and endangers nothing.</para>
/// <para>The gate does not see what the check on entry misses: of two overlapping calls, which is misuse, the one that
/// leaves first ends the protection of the other. Thread-safe.</para>
/// </remarks>
internal sealed unsafe class SessionGate<TProbe>(EpochTable<TProbe> epochs, string owner)
    where TProbe : struct, IProbe
{
    private const int Free = 0, Trying = 1, Taken = 2, Ended = 3;

    private readonly SlotLease _lease = epochs.Lease(owner);
    private int _staysShut;
    private int _claim; // Free, Trying, Taken, or Ended

    /// <summary>The session's slot. Valid as long as the gate is reachable.</summary>
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

    /// <summary>The owner of the slot, for messages.</summary>
    public string Owner => owner;

    /// <summary>Whether the gate refuses new calls.</summary>
    public bool IsShut => Volatile.Read(ref Slot->Counters) != (nint)epochs.Counters;

    /// <summary>Whether a caller has claimed the session, so that no call is under way and none begins.</summary>
    public bool IsClaimed => Volatile.Read(ref _claim) >= Taken;

    /// <summary>Whether the session is completely closed.</summary>
    public bool IsEnded => Volatile.Read(ref _claim) == Ended;

    /// <summary>Whether a call is under way, as far as can be seen at the moment.</summary>
    public bool IsInUse => Volatile.Read(ref Slot->Epoch) != 0 || Volatile.Read(ref Slot->Calls) != 0;

    /// <summary>Whether a caller that has announced its epoch may stay in it.</summary>
    public bool MayStay()
    {
        TProbe.Point(ProbePoint.SessionGate);
        return !IsShut || Volatile.Read(ref Slot->Calls) != 0;
    }

    /// <summary>Begins a call that may leave its epoch and go on. Calls nest.</summary>
    /// <param name="call">Ends the call when it is disposed of.</param>
    /// <returns>False if the gate is shut; no call has begun then.</returns>
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

    /// <summary>Refuses new calls from now on; calls under way go on.</summary>
    public void Shut()
    {
        Interlocked.Exchange(ref _staysShut, 1);
        Volatile.Write(ref Slot->Counters, (nint)EpochCounters.Shut);
    }

    /// <summary>Takes the session from its callers, unless a call is under way.</summary>
    /// <param name="isInUse">Whether a call is under way; then nothing has changed.</param>
    /// <returns>Whether this call took the session. Only one call ever does.</returns>
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

    /// <summary>Marks a claimed session as completely closed.</summary>
    public void End()
    {
        int claim = Interlocked.Exchange(ref _claim, Ended);
        Invariant.Check(claim == Taken, $"a session is claimed before it ends: {claim}");
        GC.KeepAlive(this);
    }

    /// <summary>A counted call.</summary>
    internal readonly struct Call(SessionGate<TProbe> gate) : IDisposable
    {
        /// <summary>Ends the call.</summary>
        public void Dispose()
        {
            int left = Interlocked.Decrement(ref gate.Slot->Calls);
            Invariant.Check(left >= 0, $"each call ends once; {left} are under way");
            GC.KeepAlive(gate);
        }
    }

    // Shut() sets _staysShut before it writes Counters, so one of the two threads sees what the other wrote.
    private void Reopen()
    {
        Interlocked.Exchange(ref Slot->Counters, (nint)epochs.Counters);
        if (Volatile.Read(ref _staysShut) != 0) Volatile.Write(ref Slot->Counters, (nint)EpochCounters.Shut);
    }
}
