using System.ComponentModel;
using System.Runtime.CompilerServices;
using Faster.Epochs;
using Faster.Threads;

namespace Faster.Sessions;

/// <summary>
/// The part of a session that does not depend on the engine: an epoch slot, a name, and the check that its calls do not
/// overlap. The registry and closing know sessions by this type only; <see cref="CommittingSession"/> adds what
/// sessions of stores that commit have.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A session is not a thread: it may move between threads, but its calls do not overlap, and user functions do
/// not call it. <see cref="SessionGate"/> refuses all of several calls that overlap but one; it misses none.
/// Where one thread makes many calls in a row, its hits pay no locked instruction for that.</item>
/// <item>The slot is idle between two calls.</item>
/// </list>
/// <para>A session may be disposed of at any time, from any thread. While a call is under way,
/// <see cref="SessionMisuseException"/> is thrown, and session and call go on; a call that begins after the disposal is
/// refused. Calls of a session whose store was closed throw <see cref="ObjectDisposedException"/>.</para>
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class SessionCore : ISession
{
    private protected unsafe SessionCore(EpochTable epochs, string? name, SessionEntry? entry)
    {
        Epochs = epochs;
        Entry = entry;
        Gate = new SessionGate(epochs, name ?? "an unnamed session");
        Slot = Gate.Slot;
    }

    /// <summary>The name of the session, or of the store's own work that it serves; null for none.</summary>
    internal string? Name => Entry is { } entry ? entry.Name : Gate.Owner;

    internal SessionEntry? Entry { get; private set; } // the registry's; null for a session of the store's own
    internal SessionGate Gate { get; private set; }
    internal unsafe EpochSlot* Slot { get; private set; } // the gate's, which the session's holder has brought along
    internal nint Mark => UserCode.MarkOf(Epochs); // of threads inside user functions of the session's store

    /// <summary>
    /// Completes the pending operations, then closes the session. It accepts no calls from the start of the disposal.
    /// Idempotent.
    /// </summary>
    /// <exception cref="SessionMisuseException">
    /// A call of the session is under way. The call goes on, and the session stays open: dispose of it after the call.
    /// </exception>
    /// <exception cref="FasterException">A pending operation has failed. The session is closed.</exception>
    public void Dispose()
    {
        if (TryClaim()) End();
        GC.SuppressFinalize(this);
    }

    /// <summary>As <see cref="Dispose"/>, without blocking.</summary>
    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return TryClaim() ? EndAsync() : ValueTask.CompletedTask;
    }

    /// <summary>The epochs of the session's store.</summary>
    internal EpochTable Epochs { get; }

    /// <summary>The sessions of the session's store.</summary>
    internal abstract SessionRegistry Registry { get; }

    /// <summary>The unit of the session that has failed; null for none.</summary>
    internal FailedUnit? FailedUnit { get; private set; }

    /// <summary>Informs the session of its point in a durable commit.</summary>
    internal virtual void Deliver(CommitPoint point) { }

    /// <summary>Refuses further calls, and all commits to come: a unit of the session has failed.</summary>
    /// <param name="unit">The unit.</param>
    /// <param name="version">The version that its operations belong to.</param>
    /// <returns>The error of the session and of the commits.</returns>
    internal FasterException Fail(FailedUnit unit, long version)
    {
        FailedUnit = unit;
        Registry.Fail(unit, version);
        Gate.Shut();
        return unit.ToException();
    }

    /// <summary>
    /// Makes a new, unnamed session of what this one has left, which has ended. Called once, under the registry's lock.
    /// </summary>
    /// <param name="entry">The registry's entry of the new session.</param>
    /// <remarks>
    /// A copy of the object, so that whoever still has this one is refused. Both refer to what costs most to make; it
    /// is used in calls only, and the copy has a gate of its own.
    /// </remarks>
    internal unsafe SessionCore Renew(SessionEntry entry)
    {
        var next = (SessionCore)MemberwiseClone();
        (next.Entry, next.Gate) = (entry, new SessionGate(Gate));
        next.Slot = next.Gate.Slot;
        next.BeginAnew();
        return next;
    }

    /// <summary>Begins a call. It lasts until the result is disposed of.</summary>
    /// <exception cref="SessionMisuseException">
    /// Another call is under way, the session is closed, or the caller is a user function of the store.
    /// </exception>
    internal unsafe SessionGate.Call BeginCall()
    {
        if (!UserCode.IsInside(Mark)) return BeginAnyCall();
        _ = IdleSlot();
        ThrowRefused();
        return default;
    }

    /// <summary>Takes the session from its callers, unless a call is under way.</summary>
    /// <inheritdoc cref="SessionGate.TryClaim"/>
    internal unsafe bool TryClaim(out bool isInUse)
    {
        bool isClaimed = Gate.TryClaim(out isInUse);
        if (isClaimed) Slot = Gate.Slot;
        return isClaimed;
    }

    /// <summary>Announces the session's epoch. The session must be idle.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal unsafe EpochSlot* Enter()
    {
        EpochSlot* slot = IdleSlot();
        Epochs.Enter(slot);
        return slot;
    }

    /// <summary>Ends a session whose gate the caller has claimed. Blocks while operations are pending.</summary>
    internal void End()
    {
        try
        {
            CompleteAll();
        }
        finally
        {
            CloseClaimed();
        }
    }

    /// <summary>As <see cref="End"/>, without blocking.</summary>
    internal async ValueTask EndAsync()
    {
        try
        {
            await CompleteAllAsync().Here();
        }
        finally
        {
            CloseClaimed();
        }
    }

    /// <summary>Closes the session without completing its pending operations.</summary>
    internal void Close()
    {
        if (TryClaim()) CloseClaimed();
    }

    /// <summary>Whether the session's store has begun to close.</summary>
    private protected abstract bool IsStoreClosing { get; }

    /// <summary>
    /// Completes the pending operations of a session that accepts no calls any more. By default there are none.
    /// </summary>
    /// <exception cref="FasterException">A pending operation that is not awaited has failed.</exception>
    private protected virtual void CompleteAll() { }

    /// <inheritdoc cref="CompleteAll"/>
    private protected virtual ValueTask CompleteAllAsync() => ValueTask.CompletedTask;

    /// <summary>
    /// Releases what the session holds of its engine, by default nothing. No operation is pending, and none can begin.
    /// </summary>
    private protected virtual void ReleaseEngine() { }

    /// <summary>
    /// Lets go of what a session that has ended knows of its user, so that another one can be made of it. By default
    /// none is.
    /// </summary>
    /// <returns>False if there is anything that the next user could meet: no other session is made of it.</returns>
    private protected virtual bool TryLetGo() => false;

    /// <summary>Makes what the copy of a session that has ended refers to its own, as a new session's.</summary>
    private protected virtual void BeginAnew() { }

    /// <summary>Throws if the session has ended, or is being closed: what it refers to may be another one's.</summary>
    private protected void ThrowIfClosed()
    {
        if (Gate.IsClaimed) ThrowRefused();
    }

    /// <summary>As <see cref="BeginCall"/>, also for a user function of the store.</summary>
    private protected unsafe SessionGate.Call BeginAnyCall()
    {
        _ = IdleSlot();
        SessionGate.Admission admission = Gate.TryBegin();
        if (admission == SessionGate.Admission.InUse) SessionMisuse.ThrowInUse(this);
        if (admission == SessionGate.Admission.Shut) ThrowRefused();
        Slot = Gate.Slot;
        return new SessionGate.Call(Gate);
    }

    /// <summary>
    /// Begins a call where a hit has been tried in vain, in the epoch that it has announced, if any; leaves that if the
    /// session may not stay.
    /// </summary>
    /// <param name="slot">The slot in which it was announced.</param>
    private protected unsafe SessionGate.Call ContinueAsCall(EpochSlot* slot)
    {
        if (!UserCode.IsInside(Mark) && Gate.TryBeginInside(slot)) return new SessionGate.Call(Gate);
        if (slot->Epoch != 0) Epochs.Leave(slot);
        return BeginCall();
    }

    /// <summary>The slot; throws if a call is inside an epoch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private protected unsafe EpochSlot* IdleSlot()
    {
        EpochSlot* slot = Slot;
        if (slot->Epoch != 0) SessionMisuse.ThrowInUse(this);
        return slot;
    }

    /// <summary>
    /// Enters the quiet epoch for a hint: only if there is one, and the session is idle and open. Leaves nothing
    /// announced otherwise.
    /// </summary>
    /// <param name="page">The page of the caller's stack.</param>
    /// <param name="isCall">Whether a call was begun for it, for <see cref="LeaveHint"/>.</param>
    private protected unsafe bool TryEnterForHint(nint page, out bool isCall)
    {
        EpochSlot* slot = Slot;
        isCall = false;
        if (slot->Epoch != 0) return false;
        if (slot->Home != page)
        {
            if (Gate.TryBegin() != SessionGate.Admission.Begun) return false;
            isCall = true;
            slot = Slot = Gate.Slot;
        }

        if (slot->Quiet != 0)
        {
            if (EpochTable.TryEnterQuiet(slot)) return true;
            Epochs.Leave(slot);
        }

        if (isCall) Gate.EndCall();
        return false;
    }

    /// <summary>Leaves the epoch that was entered for a hint.</summary>
    private protected unsafe void LeaveHint(bool isCall)
    {
        Epochs.Leave(Slot);
        if (isCall) Gate.EndCall();
    }

    // On success this thread owns the session, and no call can enter it.
    private bool TryClaim()
    {
        if (TryClaim(out bool isInUse)) return true;
        if (isInUse) SessionMisuse.ThrowInUse(this);
        return false;
    }

    private unsafe void CloseClaimed()
    {
        Registry.Close(this, Slot);
        ReleaseEngine();
        bool mayServe = Entry is { Name: null } && Gate.MayGiveSlot && !IsStoreClosing && TryLetGo();
        Gate.End();
        if (!mayServe) return;
        Gate.GiveSlot();
        Slot = EpochSlot.Ended;
        Registry.Keep(this);
    }

    private void ThrowRefused()
    {
        bool isInside = UserCode.IsInside(Mark);
        if (!isInside && !IsStoreClosing && !Gate.IsClaimed && FailedUnit is { } unit) throw unit.ToException();
        SessionMisuse.ThrowRefused(Name, isInside, IsStoreClosing);
    }
}
