using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using Faster.Contracts;

namespace Faster.Epochs;

/// <summary>
/// The epoch protection framework (paper 000 §2.3–2.4) with trigger actions and CPR's conditional form (paper 004 §3).
/// A session that is inside an epoch keeps every action that was bumped since from running.
/// </summary>
/// <remarks>
/// <para><b>Invariants.</b></para>
/// <para>(1) <i>Safety.</i> When the action of a bump from c to c + 1 runs, every session that was inside has left, or
/// has entered or refreshed after seeing everything that the bumper wrote before the bump. Entering is a plain load of
/// Current and a plain store to the slot, so the store may still be in a store buffer while the protected reads run
/// already. The bump makes up for it: increment Current, then a process-wide barrier, then raise Fenced to c. A session
/// that stored its epoch before the barrier is seen by every scan after it. One that stores later also reads later, so
/// it sees what was written before the bump, whatever old epoch it announces. Safe never passes Fenced.</para>
/// <para>(2) <i>Nothing is stranded.</i> A leaver stores 0 and then reads Current and Conditions. They were written
/// before the barrier: a leaver that read them too early had its store pushed out by the barrier, so the bumper's scan
/// sees the slot idle; any other leaver sees the change and drains. Between drainers it is the classic pair: the bumper
/// lists its action, a leaver clears its slot, each passes a full fence and then looks at what the other wrote; one of
/// the two, or of two leavers, sees both. The same holds for what a condition reads, written before leaving.</para>
/// <para>(3) <i>Once.</i> Who runs an action has claimed it by an interlocked exchange. A throwing action has run: the
/// exception goes to the handler and the drain goes on.</para>
/// <para>(4) Current, Fenced and Safe never fall; Safe ≤ Fenced &lt; Current.</para>
/// <para><b>Thread-safety.</b> All members may be called by any thread at any time; those that take a slot
/// only by the session that holds it, one call at a time. Enter, Leave, Refresh, Bump and Drain are latch-free. Actions
/// may run on any thread that drains, in any order, also within an epoch of that thread: they must not wait for an
/// epoch. A full account is in docs/EPOCHS.md.</para>
/// </remarks>
/// <typeparam name="TProbe">The probe of a test, or <see cref="NoProbe"/>.</typeparam>
internal sealed unsafe class EpochTable<TProbe>
    where TProbe : struct, IProbe
{
    [ThreadStatic]
    private static EpochTable<TProbe>? _draining;

    private readonly EpochSlots _slots;
    private readonly Action<Exception>? _onActionFailed;
    private TriggerAction[] _drainList = [];
    private readonly EpochCounters* _counters; // in pinned memory, so that a hit reads it without a detour
    private readonly byte[] _memory = GC.AllocateArray<byte>(EpochCounters.Bytes + EpochSlot.Bytes, pinned: true);

    /// <summary>Creates a table without sessions.</summary>
    /// <param name="onActionFailed">
    /// Hears of the exception of an action or condition, on the thread that drained. Without it, or when it throws
    /// itself, the exception ends the process as any unhandled one does: it is never lost.
    /// </param>
    public EpochTable(Action<Exception>? onActionFailed = null)
    {
        _onActionFailed = onActionFailed;
        nuint start = (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_memory));
        _counters = (EpochCounters*)((start + EpochSlot.Bytes - 1) & ~(nuint)(EpochSlot.Bytes - 1));
        _counters->Current = 1;
        _slots = new EpochSlots(_counters);
    }

    /// <summary>E: the current epoch.</summary>
    public long Current => Volatile.Read(ref _counters->Current);

    /// <summary>E_s: the highest epoch known to be safe, as of the last drain that looked.</summary>
    public long Safe => Volatile.Read(ref _counters->Safe);

    /// <summary>The counters, in memory that stays as long as the table is reachable.</summary>
    public EpochCounters* Counters => _counters;

    /// <summary>How many actions have not finished: they wait, or run just now.</summary>
    public int PendingActions => Volatile.Read(ref _drainList).Length;

    /// <summary>Reserves an idle slot. There is no limit but memory.</summary>
    /// <param name="owner">Who holds it, for <see cref="LongestHolder"/>.</param>
    /// <exception cref="LimitExceededException">The system refuses the memory for more slots.</exception>
    public EpochSlot* Acquire(string owner)
    {
        ArgumentNullException.ThrowIfNull(owner);
        return _slots.Acquire(owner);
    }

    /// <summary>
    /// Reserves an idle slot for a holder that other threads may still be entering when it is done with it: the slot is
    /// handed out again when the lease is not reachable any more.
    /// </summary>
    /// <exception cref="LimitExceededException">The system refuses the memory for more slots.</exception>
    public SlotLease Lease(string owner) => new(_slots, _slots.Acquire(owner));

    /// <summary>Gives a slot back, to be handed out again. It must be idle.</summary>
    /// <exception cref="InvalidOperationException">The slot is inside an epoch, or was released before.</exception>
    public void Release(EpochSlot* slot) => _slots.Release(slot);

    /// <summary>Enters the current epoch: what the session reads from here on stays until it leaves.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Enter(EpochSlot* slot)
    {
        TProbe.Point(ProbePoint.EpochAnnounce);
        long epoch = Volatile.Read(ref _counters->Current);
        TProbe.Point(ProbePoint.EpochAnnounce);
        Volatile.Write(ref slot->Epoch, epoch);
    }

    /// <summary>
    /// Enters the epoch that the session has noted as quiet: announces it, and looks then whether it is still the
    /// current one.
    /// </summary>
    /// <returns>
    /// False: something may have been published meanwhile, or others keep the session from entering (<see
    /// cref="EpochSlot.Counters"/>). The caller calls <see cref="Refresh"/> before it does anything else, or leaves;
    /// the announcement may have held up an action.
    /// </returns>
    /// <remarks>
    /// What would end the quiet is published before its bump. True means that the bump had not happened when the epoch
    /// was announced already, so its action waits for this session, as for one that entered long before. To look first
    /// and announce then would not do: all may come to pass in between.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryEnterQuiet(EpochSlot* slot)
    {
        long quiet = slot->Quiet;
        bool before = TProbe.Has(SeededBug.QuietLooksFirst) && CurrentFor(slot) == quiet;
        TProbe.Point(ProbePoint.EpochAnnounce);
        Volatile.Write(ref slot->Epoch, quiet);
        TProbe.Point(ProbePoint.EpochAnnounce);
        return before || CurrentFor(slot) == quiet;
    }

    /// <summary>Whether a session that is inside an epoch, and has noted one as quiet, need not look again.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsQuiet(long quiet) => Volatile.Read(ref _counters->Current) == quiet;

    /// <summary>Leaves the epoch, and drains if an action may have waited for just that.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Leave(EpochSlot* slot)
    {
        long left = slot->Epoch;
        if (TProbe.Has(SeededBug.LeaveLooksFirst))
        {
            LeaveLookingFirst(slot, left);
            return;
        }

        TProbe.Point(ProbePoint.EpochLeave);
        Volatile.Write(ref slot->Epoch, 0);
        TProbe.Point(ProbePoint.EpochLeave);
        var counters = (EpochCounters*)slot->Counters; // where the slot is shut, a drain too many
        if (Volatile.Read(ref counters->Current) != left || Volatile.Read(ref counters->Conditions) != 0)
        {
            DrainAfter(left);
        }
    }

    /// <summary>
    /// Moves to the current epoch without becoming idle, or enters it. What the session has read before is no longer
    /// protected.
    /// </summary>
    public void Refresh(EpochSlot* slot)
    {
        long left = slot->Epoch;
        TProbe.Point(ProbePoint.EpochAnnounce);
        long epoch = Volatile.Read(ref _counters->Current);
        if (epoch == left && Volatile.Read(ref _counters->Conditions) == 0) return;
        TProbe.Point(ProbePoint.EpochAnnounce);
        Volatile.Write(ref slot->Epoch, epoch);
        if (left != 0) DrainAfter(left);
    }

    /// <summary>Increments the current epoch from c to c + 1; the action runs once, when c is safe.</summary>
    /// <param name="action">
    /// May run before this returns, on this thread. If this thread is inside an epoch, it runs when that is left,
    /// at the latest. May bump again.
    /// </param>
    public void Bump(Action action) => Add(null, action);

    /// <summary>
    /// Increments the current epoch from c to c + 1; the action runs once, when c is safe and a condition holds.
    /// </summary>
    /// <param name="condition">
    /// Evaluated at each drain once c is safe, by any thread, several at once too; it must not bump, enter or leave.
    /// While it waits every leaver drains; who makes it true without leaving an epoch afterwards calls
    /// <see cref="Drain"/>. If it throws, the handler hears of it and the action is dropped.
    /// </param>
    /// <param name="action">As for <see cref="Bump(Action)"/>.</param>
    public void Bump(Func<bool> condition, Action action)
    {
        ArgumentNullException.ThrowIfNull(condition);
        Add(condition, action);
    }

    /// <summary>
    /// Increments the current epoch; ends when everybody who is inside now has left or seen what was written before.
    /// </summary>
    public Task SafeAsync()
    {
        var safe = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Bump(safe.SetResult);
        return safe.Task;
    }

    /// <summary>Computes the safe epoch and runs what is ready, also what becomes ready by that.</summary>
    /// <remarks>Within an action it does nothing: the drain that runs the action looks again afterwards.</remarks>
    public void Drain()
    {
        if (_draining == this) return;
        EpochTable<TProbe>? outer = _draining;
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

    /// <summary>Who keeps the action that has waited longest from running, by not leaving an epoch.</summary>
    /// <param name="held">For how long the action has waited; zero when nobody keeps any.</param>
    /// <returns>The owner of the slot with the lowest epoch, or null.</returns>
    /// <remarks>For a watchdog: entering an epoch reads no clock, so time counts from the bump.</remarks>
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

    // The current epoch as a slot's holder sees it: none, when it may not enter any more.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static long CurrentFor(EpochSlot* slot) =>
        Volatile.Read(ref ((EpochCounters*)Volatile.Read(ref slot->Counters))->Current);

    private void Add(Func<bool>? condition, Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        if (condition is not null) Interlocked.Increment(ref _counters->Conditions);
        TProbe.Point(ProbePoint.EpochBump);
        long epoch = Interlocked.Increment(ref _counters->Current) - 1;
        if (!TProbe.TakesTurns && !TProbe.Has(SeededBug.BumpWithoutBarrier)) Interlocked.MemoryBarrierProcessWide();
        Raise(ref _counters->Fenced, epoch);
        TProbe.Point(ProbePoint.EpochBump);
        Replace(new TriggerAction(epoch, condition, action), listed: true);
        Drain();
    }

    private void DrainAfter(long left)
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
        // The second half of the handshake between a bumper and a leaver, or two leavers: invariant 2.
        Interlocked.MemoryBarrier();
        TProbe.Point(ProbePoint.EpochDrain);
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

        TProbe.Point(ProbePoint.EpochDrain);
        if (TProbe.Has(SeededBug.DrainWithoutClaim)) waiting.MarkUnchecked();
        else if (!waiting.TryClaim()) return false;
        if (waiting.Condition is not null) Interlocked.Decrement(ref _counters->Conditions);
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
        TProbe.Point(ProbePoint.EpochDrain);
        return Raise(ref _counters->Safe, _slots.Lowest(fenced, out _) - 1);
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

    private void LeaveLookingFirst(EpochSlot* slot, long left)
    {
        bool changed = Current != left;
        TProbe.Point(ProbePoint.EpochLeave);
        Volatile.Write(ref slot->Epoch, 0);
        if (changed) DrainAfter(left);
    }
}
