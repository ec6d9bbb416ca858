using Faster.Epochs;
using Faster.Invariants;
using Faster.Probes;

namespace Faster.Sessions;

/// <summary>
/// Decides which thread may use a session: one at a time. Calls that overlap are refused, all of them but one, and the
/// thread that closes the session has it for good.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A thread uses the session, and writes to its slot, only as its holder.</item>
/// <item>A slot in which a thread may still announce an epoch by a plain store is never used by another thread.</item>
/// <item>The holder changes only when no call is under way. Closed is for good.</item>
/// </list>
/// <para><b>Algorithm.</b> A call makes its thread the holder, by a compare-and-swap from free, and frees the session
/// at its end. A thread that has called many times in a row <i>keeps</i> it between its calls: the slot's
/// <see cref="EpochSlot.Home"/> is the page of its stack from then on. So a hit needs no interlocked instruction: it
/// compares the page, announces its epoch, and checks through the slot's <see cref="EpochSlot.Counters"/> whether that
/// is the current one, which it does anyway. Another thread <i>takes</i> the session from the one that keeps it:
/// (1) it makes Counters point to a counter that equals no epoch; (2) executes a process-wide barrier; (3) checks
/// whether the slot is idle and no call is counted. If so, it is the holder, of a new slot; if not, it opens the old
/// one again, and is refused.</para>
/// <para><b>Why no call is inside when the session is taken.</b> The barrier makes every thread pass a fence at some
/// moment within (2). A keeper that announced or counted itself before its fence is seen in (3), unless it has ended
/// its call: then its accesses are over. A keeper that announces after its fence also reads Counters after it, and sees
/// (1): it leaves and begins again, as any other thread does, without having read anything that the epoch protects.
/// A keeper that counts itself outside of an epoch fences, and looks whether the session is being taken.</para>
/// <para><b>Why a new slot.</b> A keeper may pause between comparing the page and announcing, for any time. Its late
/// announcement, and leaving, would end the protection of the thread that took the session, were they in one slot. The
/// old slot stays shut, and has no other holder as long as the session is reachable (<see cref="SlotLease"/>). A late
/// announcement delays trigger actions and endangers nothing.</para>
/// <para><b>Why the next session may have the slot at once</b> if no thread has ever kept this one
/// (<see cref="MayGiveSlot"/>). Then no thread has announced in the slot but within a call, and none is about to: a
/// late caller must first become the holder, by this gate, which refuses it. Nor does it take itself for the keeper of
/// the next session. Its session points to <see cref="EpochSlot.Ended"/> before the next one begins; so a thread that
/// has kept the next one reads that, and one that has read the slot before keeps no session in it, hence finds another
/// page than its own.</para>
/// <para><b>Why a page of the stack is enough.</b> It belongs to one thread at a time. A later thread on the same page
/// is taken for the keeper only when that has ended, so it is alone; where a call needs more than a hit, it compares
/// the thread's number, and takes the session.</para>
/// <para>Thread-safe. No thread waits for another, but for one that is just taking the session.</para>
/// </remarks>
internal sealed unsafe class SessionGate
{
    private const int Free = 0, Closed = -1, Ended = -2, Detached = int.MaxValue;
    private const int FirstStreak = 64, Longer = 4, LongestStreak = 1 << 20;

    private readonly EpochTable _epochs;
    private SlotLease _lease; // of the slot, and before it of earlier ones, which late callers may write to
    private nint _slot;
    private long _lastSerial;
    private int _holder;    // a thread's number, Free, Detached (a call that no thread runs), Closed, or Ended
    private int _last;      // the thread of the last call that was not a keeper's; written by holders
    private int _streak;    // its calls in a row
    private int _wanted;    // how many make it keep the session
    private bool _taking;   // whether a thread is taking the session from the one that keeps it
    private bool _staysShut;
    private bool _wasKept;

    /// <summary>Makes the gate of a new session, which no thread holds.</summary>
    /// <param name="epochs">The epochs of the session's store.</param>
    /// <param name="owner">The session's name, for messages.</param>
    /// <param name="streak">After how many calls in a row a thread keeps the session.</param>
    public SessionGate(EpochTable epochs, string owner, int streak = FirstStreak)
    {
        (_epochs, _wanted) = (epochs, streak);
        _lease = epochs.Lease(owner);
        _slot = (nint)_lease.Slot;
    }

    /// <summary>Makes the gate of a session that takes over the slot of one that has ended.</summary>
    /// <param name="ended">Its gate; <see cref="MayGiveSlot"/> was true.</param>
    public SessionGate(SessionGate ended)
    {
        Invariant.Check(
            ended is { IsEnded: true, MayGiveSlot: true }, $"the slot of {ended.Owner} is taken over after its end");
        (_epochs, _wanted, _lease) = (ended._epochs, FirstStreak, ended._lease);
        EpochSlot* slot = _lease.Slot;
        *slot = new EpochSlot { Index = slot->Index, Counters = (nint)_epochs.Counters };
        _slot = (nint)slot;
    }

    /// <summary>How a call may begin.</summary>
    internal enum Admission
    {
        /// <summary>It has begun.</summary>
        Begun,

        /// <summary>Another call is under way.</summary>
        InUse,

        /// <summary>The session accepts no calls any more.</summary>
        Shut,
    }

    private enum Taking
    {
        Taken,
        InUse,
        Changed,
    }

    /// <summary>The session's slot; another one when a thread has taken the session. Valid like the gate.</summary>
    public EpochSlot* Slot => (EpochSlot*)Volatile.Read(ref _slot);

    /// <summary>The serial number of the session's last accepted operation.</summary>
    public long Serial
    {
        get
        {
            long serial = Volatile.Read(ref Slot->Serial);
            GC.KeepAlive(this);
            return IsEnded ? _lastSerial : serial; // after the end the slot may be another session's
        }
    }

    /// <summary>The owner of the slot, for messages.</summary>
    public string Owner => _lease.Owner;

    /// <summary>Whether the gate refuses new calls.</summary>
    public bool IsShut => Volatile.Read(ref _staysShut) || IsClaimed;

    /// <summary>Whether a thread has claimed the session to close it: no call is under way and none begins.</summary>
    public bool IsClaimed => Volatile.Read(ref _holder) < Free;

    /// <summary>Whether the session is completely closed.</summary>
    public bool IsEnded => Volatile.Read(ref _holder) == Ended;

    /// <summary>Whether the next session may have the slot at once: no thread has ever kept this one.</summary>
    public bool MayGiveSlot => !_wasKept;

    /// <summary>Whether a thread keeps the session between its calls.</summary>
    public bool IsKept => Volatile.Read(ref Slot->Home) != 0;

    /// <summary>Whether the calling thread is the session's holder.</summary>
    public bool IsHeldHere => Volatile.Read(ref _holder) == CallerThread.Id;

    /// <summary>Whether a call is under way, as far as can be seen at the moment.</summary>
    public bool IsInUse => IsUsed(Slot);

    /// <summary>Begins a call: the calling thread is the session's holder until it ends. Calls nest.</summary>
    public Admission TryBegin()
    {
        int me = CallerThread.Id;
        for (;;)
        {
            EpochSlot* slot = Slot; // first: it is written after the holder, so it is the holder's
            int holder = Volatile.Read(ref _holder);
            if (holder < Free) return Admission.Shut;
            if (holder != Free) Probe.Point(ProbePoint.SessionGate);
            if (holder == me)
            {
                if (TryBeginAsHolder(slot, me, out Admission admission)) return admission;
            }
            else if (holder == Free)
            {
                if (Interlocked.CompareExchange(ref _holder, me, Free) == Free) return BeginAsNewHolder(me);
                continue;
            }
            else
            {
                Taking taking = TryTake(holder, me);
                if (taking == Taking.Taken) return BeginAsNewHolder(me);
                if (taking == Taking.InUse) return Admission.InUse;
            }

            AwaitTaking();
        }
    }

    /// <summary>
    /// Begins a call in the epoch that its thread has announced as a hit does; within a call, in any case.
    /// </summary>
    /// <param name="slot">The slot in which it has.</param>
    /// <returns>False if the thread does not hold the session: it leaves the epoch.</returns>
    public bool TryBeginInside(EpochSlot* slot)
    {
        int calls = slot->Calls;
        Probe.Point(ProbePoint.SessionGate);
        if (slot != Slot || Volatile.Read(ref _holder) != CallerThread.Id) return false;
        bool isOpen = Volatile.Read(ref slot->Counters) == (nint)_epochs.Counters;
        if (calls == 0 && (slot->Epoch == 0 || !isOpen)) return false;
        slot->Calls = (ushort)(calls + 1);
        return true;
    }

    /// <summary>Makes the thread of the call keep the session, if it has called often enough in a row.</summary>
    /// <param name="page">The page of its stack from which it will make hits.</param>
    public void Keep(nint page)
    {
        EpochSlot* slot = Slot;
        if (slot->Home == page || (slot->Home == 0 && ++_streak < _wanted)) return;
        _wasKept = true;
        Volatile.Write(ref slot->Home, page);
    }

    /// <summary>Ends a call.</summary>
    public void EndCall()
    {
        EpochSlot* slot = Slot;
        int left = slot->Calls - 1;
        Invariant.Check(left >= 0, $"each call ends once; {left} are under way");
        bool isKept = slot->Home != 0;
        if (isKept) Probe.Point(ProbePoint.SessionGate);
        Volatile.Write(ref slot->Calls, (ushort)left);
        if (left == 0 && !isKept) Volatile.Write(ref _holder, Free);
        GC.KeepAlive(this);
    }

    /// <summary>
    /// Lets the caller go while its call goes on: no thread is the holder then, and all are refused, until one
    /// continues the call.
    /// </summary>
    /// <returns>False if the call is within another one, whose thread stays the holder.</returns>
    public bool TryLeaveCall()
    {
        if (Slot->Calls != 1) return false;
        Volatile.Write(ref Slot->Home, 0);
        Volatile.Write(ref _holder, Detached);
        return true;
    }

    /// <summary>Makes the calling thread the holder, in the call that another one has left.</summary>
    public void ContinueCall()
    {
        int holder = Interlocked.Exchange(ref _holder, CallerThread.Id);
        Invariant.Check(holder == Detached, $"only a detached call is continued: {holder}");
    }

    /// <summary>Refuses new calls from now on; calls under way go on.</summary>
    public void Shut()
    {
        Interlocked.Exchange(ref _staysShut, true);
        Volatile.Write(ref Slot->Counters, (nint)EpochCounters.Shut);
    }

    /// <summary>Takes the session from its callers, unless a call is under way.</summary>
    /// <param name="isInUse">Whether a call is under way; then nothing has changed.</param>
    /// <returns>Whether this call took the session. Only one call ever does.</returns>
    public bool TryClaim(out bool isInUse)
    {
        isInUse = false;
        for (;;)
        {
            Probe.Point(ProbePoint.SessionGate);
            int holder = Volatile.Read(ref _holder);
            if (holder < Free) return false;
            Taking taking = holder != Free ? TryTake(holder, Closed)
                : Interlocked.CompareExchange(ref _holder, Closed, Free) == Free ? Taking.Taken : Taking.Changed;
            isInUse = taking == Taking.InUse;
            if (taking == Taking.Taken) Volatile.Write(ref Slot->Counters, (nint)EpochCounters.Shut);
            if (taking != Taking.Changed) return !isInUse;
            AwaitTaking();
        }
    }

    /// <summary>Marks a claimed session as completely closed.</summary>
    public void End()
    {
        _lastSerial = Slot->Serial;
        int holder = Interlocked.Exchange(ref _holder, Ended);
        Invariant.Check(holder == Closed, $"a session is claimed before it ends: {holder}");
        GC.KeepAlive(this);
    }

    /// <summary>Leaves the slot to another session, after the end.</summary>
    public void GiveSlot() => Volatile.Write(ref _slot, (nint)EpochSlot.Ended);

    /// <summary>A call under way; by default none.</summary>
    internal readonly struct Call(SessionGate? gate) : IDisposable
    {
        /// <summary>Ends the call.</summary>
        public void Dispose() => gate?.EndCall();
    }

    private Admission BeginAsNewHolder(int me)
    {
        if (_last != me) (_last, _streak) = (me, 0);
        Volatile.Write(ref Slot->Calls, 1);
        if (!Volatile.Read(ref _staysShut)) return Admission.Begun;
        EndCall();
        return Admission.Shut;
    }

    // Within a call, or between two of its calls if it keeps the session. False: the session is being taken.
    private bool TryBeginAsHolder(EpochSlot* slot, int me, out Admission admission)
    {
        admission = Admission.Begun;
        if (slot->Calls != 0)
        {
            slot->Calls++;
            return true;
        }

        Volatile.Write(ref slot->Calls, 1);
        Interlocked.MemoryBarrier();
        Probe.Point(ProbePoint.SessionGate);
        bool isTaken = Volatile.Read(ref _taking) || Volatile.Read(ref _holder) != me;
        bool isShut = Volatile.Read(ref _staysShut);
        if (isTaken || isShut) Volatile.Write(ref slot->Calls, 0);
        if (isShut) admission = Admission.Shut;
        return !isTaken;
    }

    // From the thread that keeps it, for another one or to close it.
    private Taking TryTake(int from, int to)
    {
        if (Interlocked.Exchange(ref _taking, true)) return Taking.Changed;
        try
        {
            if (Volatile.Read(ref _holder) != from) return Taking.Changed;
            EpochSlot* slot = Slot;
            Probe.Point(ProbePoint.SessionGate);
            // Without Home, its holder was within a call. If nobody has kept this session, it may have ended since, and
            // the slot be another one's: what is there tells nothing of this one.
            if (Volatile.Read(ref slot->Home) == 0 || !MayHaveKept() || IsUsed(slot)) return Taking.InUse;
            SlotLease next = _epochs.Lease(Owner);
            bool before = Probe.On && Probe.Has(SeededBug.ClaimLooksFirst);
            Probe.Point(ProbePoint.SessionGate);
            Volatile.Write(ref slot->Counters, (nint)EpochCounters.Shut);
            if (!(Probe.On && Probe.TakesTurns)) Interlocked.MemoryBarrierProcessWide();
            Probe.Point(ProbePoint.SessionGate);
            if (before || !IsUsed(slot))
            {
                Move(slot, next, to);
                return Taking.Taken;
            }

            Reopen(slot);
            return Taking.InUse;
        }
        finally
        {
            Volatile.Write(ref _taking, false);
        }
    }

    // What the session knows goes with it; late callers may still write to the old slot's epoch.
    private void Move(EpochSlot* from, SlotLease next, int to)
    {
        if (Probe.On && Probe.Has(SeededBug.TakenKeepsSlot)) next = _lease;
        EpochSlot* slot = next.Slot;
        int index = slot->Index;
        if (slot != from) *slot = *from;
        slot->Index = index;
        slot->Calls = 0;
        slot->Home = 0;
        Volatile.Write(ref slot->Epoch, 0);
        if (next != _lease) next.Before = _lease;
        _lease = next;
        (_streak, _wanted) = (0, Math.Min(_wanted * Longer, LongestStreak));
        Volatile.Write(ref _holder, to);
        Probe.Point(ProbePoint.SessionGate);
        Interlocked.Exchange(ref _slot, (nint)slot);
        Reopen(slot);
    }

    // Shut() sets _staysShut before it reads the slot and writes Counters, so one of the two threads sees what the
    // other wrote.
    private void Reopen(EpochSlot* slot)
    {
        Interlocked.Exchange(ref slot->Counters, (nint)_epochs.Counters);
        if (Volatile.Read(ref _staysShut)) Volatile.Write(ref slot->Counters, (nint)EpochCounters.Shut);
    }

    private void AwaitTaking()
    {
        while (Volatile.Read(ref _taking))
            if (!(Probe.On && Probe.Wait(() => !Volatile.Read(ref _taking)))) Thread.Yield();
    }

    private bool MayHaveKept() => Volatile.Read(ref _wasKept) || (Probe.On && Probe.Has(SeededBug.TakesGivenSlot));

    private static bool IsUsed(EpochSlot* slot) =>
        Volatile.Read(ref slot->Epoch) != 0 || Volatile.Read(ref slot->Calls) != 0;
}
