using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using Faster.Invariants;
using Faster.Memory;
using Faster.Probes;

namespace Faster.Epochs;

/// <summary>
/// The epoch protection framework (paper 000 §2.3–2.4) with trigger actions and CPR's conditional form (paper 004 §3).
/// A session inside an epoch delays every action whose bump came after it entered.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="number">
/// <item><i>Safety.</i> When the action of a bump from c to c + 1 runs, every session that was inside has left, or
/// has entered or refreshed after it could see everything that the bumping thread wrote before the bump. Entering is a
/// plain load of Current and a plain store to the slot, so the store may still be in a store buffer while the protected
/// reads already run. The bump compensates for that: it increments Current, then issues a process-wide barrier, then
/// raises Fenced to c. A session that stored its epoch before the barrier is seen by every scan after it. A session
/// that stores later also reads later, so it sees what was written before the bump, whatever old epoch it announces.
/// Safe never passes Fenced.</item>
/// <item><i>No action is stranded.</i> A session that leaves stores 0 and then reads Current and Conditions. Both
/// were written before the barrier: if the session read them too early, the barrier has forced its store out, so the
/// bumping thread's scan sees the slot idle; otherwise the session sees the change and drains. Between drainers it is
/// the classic pair: the bumping thread lists its action, a leaving session clears its slot, each passes a full fence
/// and then reads what the other wrote; one of the two, or of two leaving sessions, sees both. The same holds for what
/// a condition reads, if it was written before leaving.</item>
/// <item><i>Once.</i> The thread that runs an action has claimed it by an interlocked exchange. An action that
/// throws has run: the exception goes to the handler and the drain continues.</item>
/// <item>Current, Fenced and Safe never fall; Safe ≤ Fenced &lt; Current.</item>
/// </list>
/// <para><b>Thread-safety.</b> Any thread may call any member at any time, but a member that takes a slot may be called
/// only by the session that holds it, one call at a time. Enter, Leave, Refresh, Bump and Drain are latch-free. Actions
/// may run on any thread that drains, in any order, also within an epoch of that thread: they must not wait for an
/// epoch. The proofs are in docs/internals/epoch-proofs.md.</para>
/// </remarks>
internal sealed unsafe class EpochTable
{
    [ThreadStatic]
    private static EpochTable? _draining;

    private readonly EpochSlots _slots;
    private readonly Action<Exception>? _onActionFailed;
    private TriggerAction[] _drainList = [];
    private readonly EpochCounters* _counters; // in pinned memory, so that a hit reads it without indirection
    private readonly byte[] _memory = GC.AllocateArray<byte>(EpochCounters.Bytes + CacheLine.Bytes, pinned: true);

    /// <summary>Creates a table without sessions.</summary>
    /// <param name="onActionFailed">
    /// Called with the exception of an action or condition, on the thread that drained. Without it, or when it throws
    /// itself, the exception ends the process as any unhandled one does: it is never lost.
    /// </param>
    public EpochTable(Action<Exception>? onActionFailed = null)
    {
        _onActionFailed = onActionFailed;
        nuint start = (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_memory));
        _counters = (EpochCounters*)((start + CacheLine.Bytes - 1) & ~(nuint)(CacheLine.Bytes - 1));
        _counters->Current = 1;
        _slots = new EpochSlots(_counters);
    }

    /// <summary>E: the current epoch.</summary>
    public long Current => Volatile.Read(ref _counters->Current);

    /// <summary>E_s: the highest epoch known to be safe, as of the last drain that computed it.</summary>
    public long Safe => Volatile.Read(ref _counters->Safe);

    /// <summary>The counters, in memory that is valid as long as the table is reachable.</summary>
    public EpochCounters* Counters => _counters;

    /// <summary>The number of actions that have not finished: they wait, or are running.</summary>
    public int PendingActions => Volatile.Read(ref _drainList).Length;

    /// <summary>Reserves an idle slot. Only memory limits the number of slots.</summary>
    /// <param name="owner">The holder's name, for <see cref="LongestHolder"/>.</param>
    /// <exception cref="LimitExceededException">The system refuses the memory for more slots.</exception>
    public EpochSlot* Acquire(string owner)
    {
        ArgumentNullException.ThrowIfNull(owner);
        return _slots.Acquire(owner);
    }

    /// <summary>
    /// Reserves an idle slot for a holder that other threads may still be entering when it is closed: the slot is
    /// reused only when the lease is no longer reachable.
    /// </summary>
    /// <exception cref="LimitExceededException">The system refuses the memory for more slots.</exception>
    public SlotLease Lease(string owner) => new(_slots, _slots.Acquire(owner), owner);

    /// <summary>Releases a slot for reuse. It must be idle.</summary>
    /// <exception cref="InvalidOperationException">The slot is inside an epoch, or was released before.</exception>
    public void Release(EpochSlot* slot) => _slots.Release(slot, Probe.On && Probe.Has(SeededBug.SlotsForgetHeld));

    /// <summary>Enters the current epoch: what the session reads from here on stays valid until it leaves.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Enter(EpochSlot* slot)
    {
        Invariant.DebugCheck(slot->Epoch == 0, $"a session enters from outside every epoch, not from {slot->Epoch}");
        Probe.Point(ProbePoint.EpochAnnounce);
        long epoch = Volatile.Read(ref _counters->Current);
        Probe.Point(ProbePoint.EpochAnnounce);
        Volatile.Write(ref slot->Epoch, epoch);
    }

    /// <inheritdoc cref="TryEnterQuiet(EpochSlot*, long)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryEnterQuiet(EpochSlot* slot) => TryEnterQuiet(slot, slot->Quiet);

    /// <summary>
    /// Enters the session's quiet epoch: announces it, and then checks whether it is still the current one.
    /// </summary>
    /// <param name="slot">The session's slot.</param>
    /// <param name="quiet">Its <see cref="EpochSlot.Quiet"/>.</param>
    /// <returns>
    /// False: something may have been published meanwhile, or the session may not enter any more
    /// (<see cref="EpochSlot.Counters"/>). The caller calls <see cref="Refresh"/> before it does anything else, or
    /// leaves; the announcement may have delayed an action.
    /// </returns>
    /// <remarks>
    /// Whatever would end the quiet epoch is published before its bump. True means that the bump had not happened yet
    /// when the epoch was announced, so its action waits for this session, as for one that entered long before. To
    /// check first and announce then would be wrong: publication, bump and action may all happen in between.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryEnterQuiet(EpochSlot* slot, long quiet)
    {
        bool before = Probe.On && Probe.Has(SeededBug.QuietLooksFirst) && CurrentFor(slot) == quiet;
        Probe.Point(ProbePoint.EpochAnnounce);
        Volatile.Write(ref slot->Epoch, quiet);
        Probe.Point(ProbePoint.EpochAnnounce);
        return before || CurrentFor(slot) == quiet;
    }

    /// <summary>
    /// Whether a session that is inside an epoch and has a quiet epoch need not check the store again.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsQuiet(long quiet) => Volatile.Read(ref _counters->Current) == quiet;

    /// <summary>Leaves the epoch, and drains if an action may have waited for that.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Leave(EpochSlot* slot)
    {
        long left = slot->Epoch;
        Invariant.DebugCheck(left != 0, $"slot {slot->Index} is inside the epoch that it leaves");
        if (!TryLeave(slot, left)) DrainAfter(left);
    }

    /// <summary>Leaves the epoch that the session has announced.</summary>
    /// <returns>False if an action may have waited for that: call <see cref="DrainAfter"/>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryLeave(EpochSlot* slot, long left)
    {
        bool before = Probe.On && Probe.Has(SeededBug.LeaveLooksFirst) && HasNothingToDrain(slot, left);
        Probe.Point(ProbePoint.EpochLeave);
        Volatile.Write(ref slot->Epoch, 0);
        Probe.Point(ProbePoint.EpochLeave);
        return before || HasNothingToDrain(slot, left);
    }

    /// <summary>
    /// Moves to the current epoch without becoming idle, or enters it. What the session has read so far is no longer
    /// protected.
    /// </summary>
    public void Refresh(EpochSlot* slot)
    {
        long left = slot->Epoch;
        Probe.Point(ProbePoint.EpochAnnounce);
        long epoch = Volatile.Read(ref _counters->Current);
        if (epoch == left && Volatile.Read(ref _counters->Conditions) == 0) return;
        Probe.Point(ProbePoint.EpochAnnounce);
        Volatile.Write(ref slot->Epoch, epoch);
        if (left != 0) DrainAfter(left);
    }

    /// <summary>Increments the current epoch from c to c + 1; the action runs once, when c is safe.</summary>
    /// <param name="action">
    /// May run before this returns, on this thread. If this thread is inside an epoch, it runs at the latest when that
    /// is left. May bump again.
    /// </param>
    public void Bump(Action action) => Add(null, action);

    /// <summary>
    /// Increments the current epoch from c to c + 1; the action runs once, when c is safe and a condition holds.
    /// </summary>
    /// <param name="condition">
    /// Evaluated at each drain once c is safe, by any thread, also by several at once; it must not bump, enter or
    /// leave. While it waits, every session that leaves drains; code that makes it true without leaving an epoch
    /// afterwards calls <see cref="Drain"/>. If it throws, the exception goes to the handler and the action is dropped.
    /// </param>
    /// <param name="action">As for <see cref="Bump(Action)"/>.</param>
    public void Bump(Func<bool> condition, Action action)
    {
        ArgumentNullException.ThrowIfNull(condition);
        Add(condition, action);
    }

    /// <summary>Increments the current epoch; the task ends when each session that is inside now has left it.</summary>
    public Task SafeAsync()
    {
        var safe = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Bump(safe.SetResult);
        return safe.Task;
    }

    /// <summary>Computes the safe epoch, and runs the actions that are ready or become so meanwhile.</summary>
    /// <remarks>Does nothing within an action: the drain that runs the action checks again afterwards.</remarks>
    public void Drain()
    {
        if (_draining == this) return;
        EpochTable? outer = _draining;
        _draining = this;
        try
        {
            while (RunReady()) { }
        }
        finally
        {
            _draining = outer;
        }
    }

    /// <summary>Whether a slot is entered; another thread may enter or leave at any time.</summary>
    public bool IsEntered => _slots.Lowest(long.MaxValue - 1, out _) != long.MaxValue;

    /// <summary>The owner that delays the oldest waiting action, because it does not leave an epoch.</summary>
    /// <param name="held">How long the action has waited; zero when no owner delays one.</param>
    /// <returns>The owner of the slot with the lowest epoch, or null.</returns>
    /// <remarks>For a watchdog: entering an epoch reads no clock, so the time counts from the bump.</remarks>
    public string? LongestHolder(out TimeSpan held)
    {
        foreach (TriggerAction waiting in Volatile.Read(ref _drainList).OrderBy(static action => action.Since))
        {
            _ = _slots.Lowest(waiting.Epoch, out string? owner);
            if (owner is null || waiting.IsClaimed) continue;
            held = Stopwatch.GetElapsedTime(waiting.Since);
            return owner;
        }

        held = TimeSpan.Zero;
        return null;
    }

    /// <summary>The owner that has delayed an action for more than a second, or null.</summary>
    public string? StalledBy =>
        LongestHolder(out TimeSpan held) is { } holder && held > TimeSpan.FromSeconds(1) ? holder : null;

    // A slot that is shut causes an unnecessary drain.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool HasNothingToDrain(EpochSlot* slot, long left)
    {
        var counters = (EpochCounters*)slot->Counters;
        if (Volatile.Read(ref counters->Current) != left || Volatile.Read(ref counters->Conditions) != 0) return false;
        return true;
    }

    // The current epoch as a slot's holder sees it: -1 when it may not enter any more.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static long CurrentFor(EpochSlot* slot) =>
        Volatile.Read(ref ((EpochCounters*)Volatile.Read(ref slot->Counters))->Current);

    private void Add(Func<bool>? condition, Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        if (condition is not null) Interlocked.Increment(ref _counters->Conditions);
        Probe.Point(ProbePoint.EpochBump);
        long epoch = Interlocked.Increment(ref _counters->Current) - 1;
        bool goesWithout = Probe.On && (Probe.TakesTurns || Probe.Has(SeededBug.BumpWithoutBarrier));
        if (!goesWithout) Interlocked.MemoryBarrierProcessWide();
        Raise(ref _counters->Fenced, epoch);
        Probe.Point(ProbePoint.EpochBump);
        Replace(new TriggerAction(epoch, condition, action), listed: true);
        Drain();
    }

    /// <summary>Runs the actions that may have waited for a session to leave its epoch.</summary>
    /// <param name="left">The epoch that it has left.</param>
    public void DrainAfter(long left)
    {
        Interlocked.MemoryBarrier();
        foreach (TriggerAction waiting in Volatile.Read(ref _drainList))
        {
            if (waiting.Epoch < left && waiting.Condition is null) continue;
            Drain();
            return;
        }
    }

    private bool RunReady()
    {
        // The second half of the handshake between a bumping and a leaving thread, or two leaving ones: invariant 2.
        Interlocked.MemoryBarrier();
        Probe.Point(ProbePoint.EpochDrain);
        TriggerAction[] drainList = Volatile.Read(ref _drainList);
        long safe = ComputeSafe();
        bool ran = false;
        foreach (TriggerAction waiting in drainList)
        {
            if (waiting.Epoch <= safe && !waiting.IsClaimed) ran |= TryRun(waiting);
        }

        return ran;
    }

    private bool TryRun(TriggerAction waiting)
    {
        Exception? failure = null;
        try
        {
            if (waiting.Condition is not null && !waiting.Condition()) return false;
        }
        catch (Exception exception)
        {
            failure = exception;
        }

        Probe.Point(ProbePoint.EpochDrain);
        if (Probe.On && Probe.Has(SeededBug.DrainWithoutClaim)) waiting.MarkUnchecked();
        else if (!waiting.TryClaim()) return false;
        if (waiting.Condition is not null) CountConditionOff();
        try
        {
            if (failure is null) waiting.Action();
        }
        catch (Exception exception)
        {
            failure = exception;
        }

        if (failure is not null) Report(failure);
        Replace(waiting, listed: false);
        return true;
    }

    private long ComputeSafe()
    {
        long fenced = Volatile.Read(ref _counters->Fenced);
        Probe.Point(ProbePoint.EpochDrain);
        long safe = Raise(ref _counters->Safe, _slots.Lowest(fenced, out _) - 1);
        fenced = Volatile.Read(ref _counters->Fenced);
        Invariant.Check(
            safe <= fenced && fenced < Current, $"Safe ≤ Fenced < Current: {safe}, {fenced}, {Current}");
        return safe;
    }

    private void CountConditionOff()
    {
        long left = Interlocked.Decrement(ref _counters->Conditions);
        Invariant.Check(left >= 0, $"each condition is counted off once; {left} wait");
    }

    private void Report(Exception exception)
    {
        try
        {
            if (_onActionFailed is not null)
            {
                _onActionFailed(exception);
                return;
            }
        }
        catch (Exception second)
        {
            exception = new AggregateException(exception, second);
        }

        var unhandled = ExceptionDispatchInfo.Capture(exception);
        ThreadPool.UnsafeQueueUserWorkItem(static failure => failure.Throw(), unhandled, preferLocal: false);
    }

    private void Replace(TriggerAction action, bool listed)
    {
        while (true)
        {
            TriggerAction[] seen = Volatile.Read(ref _drainList);
            TriggerAction[] next = listed ? [.. seen, action] : Array.FindAll(seen, other => other != action);
            Invariant.Check(
                next.Length == seen.Length + (listed ? 1 : -1),
                $"an action leaves the drain list once, after it has run; epoch {action.Epoch}");
            if (Interlocked.CompareExchange(ref _drainList, next, seen) == seen) return;
        }
    }

    private static long Raise(ref long counter, long value)
    {
        long seen = Volatile.Read(ref counter);
        while (seen < value)
        {
            long before = Interlocked.CompareExchange(ref counter, value, seen);
            if (before == seen) return value;
            seen = before;
        }

        return seen;
    }
}
