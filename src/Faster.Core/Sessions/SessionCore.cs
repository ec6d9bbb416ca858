using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Sessions;

/// <summary>
/// What a session is, whatever its engine: an epoch slot, a name and a numbering, commit points, and the check that its
/// calls do not overlap. The registry, commits and closing know sessions by this type only.
/// </summary>
/// <remarks>
/// A session is not a thread: it may move between threads, but its calls never overlap, and user functions do not call
/// it. Both are checked on entry by a plain read of the session's epoch slot; the check may miss a race, it costs no
/// locked instruction.
/// <para>Disposal may come at any time, from any thread: beside a call it is refused by
/// <see cref="SessionMisuseException"/>, and session and call go on; a call that comes later is refused. Calls of a
/// session whose store was closed throw <see cref="ObjectDisposedException"/>.</para>
/// </remarks>
/// <typeparam name="TProbe">The probe of a test, or <see cref="NoProbe"/>.</typeparam>
public abstract class SessionCore<TProbe> : IAsyncDisposable, IDisposable
    where TProbe : struct, IProbe
{
    private readonly SessionRegistry<TProbe> _registry;
    private CommitPoint? _lastCommit;

    private protected unsafe SessionCore(
        EpochTable<TProbe> epochs, SessionRegistry<TProbe> registry, PendingSet<TProbe> pending, string? name,
        SessionEntry<TProbe>? entry)
    {
        Epochs = epochs;
        _registry = registry;
        Mark = UserCode.MarkOf(epochs);
        Pending = pending;
        Name = name;
        Entry = entry;
        RecoveredPoint = entry?.Committed ?? new CommitPoint(name, 0, 0);
        Gate = new SessionGate<TProbe>(epochs, name ?? "an unnamed session");
        Slot = Gate.Slot;
    }

    /// <summary>The session's name, or null.</summary>
    public string? Name { get; }

    /// <summary>How many operations wait for the disk.</summary>
    public int PendingCount => Pending.Count;

    /// <summary>
    /// The number of the last operation that was accepted: carried out, or pending. Numbers grow by one with each
    /// operation, reads included, unless the caller gives others.
    /// </summary>
    public long SerialNumber => Gate.Serial;

    /// <summary>
    /// Where the session stood in the commit from which the store was opened: what came after was lost, and is to be
    /// issued again. So are the operations in <see cref="CommitPoint.Excluded"/>, each under its own number. Serial
    /// number 0 for a new session.
    /// </summary>
    public CommitPoint RecoveredPoint { get; internal set; }

    /// <summary>The session's point in the last commit; <see cref="RecoveredPoint"/> before the first.</summary>
    public CommitPoint LastCommit => Volatile.Read(ref _lastCommit) ?? RecoveredPoint;

    /// <summary>
    /// Called with each new commit point, in order, by a thread of the store. Must return soon; what it throws becomes
    /// <see cref="StoreStatistics.LastFault"/>.
    /// </summary>
    public Action<CommitPoint>? OnCommit { get; set; }

    internal SessionEntry<TProbe>? Entry { get; } // what the registry knows; null for a session of the store's own
    internal SessionGate<TProbe> Gate { get; }
    internal unsafe EpochSlot* Slot { get; }      // the gate's
    internal PendingSet<TProbe> Pending { get; }
    internal CommitFeed Feed { get; } = new();
    internal nint Mark { get; }                   // the store's, of threads inside its user functions

    /// <summary>
    /// The session's commit points as they come, until the session is closed. A slow consumer may skip intermediate
    /// points but always receives the latest, which covers all earlier ones.
    /// </summary>
    public IAsyncEnumerable<CommitPoint> CommitPointsAsync(CancellationToken ct = default) => Feed.ReadAsync(ct);

    /// <summary>
    /// Completes what is pending, then closes the session, which takes no more calls from the beginning. Idempotent.
    /// </summary>
    /// <exception cref="SessionMisuseException">
    /// A call of the session is under way. It goes on, and the session stays open: dispose of it afterwards.
    /// </exception>
    /// <exception cref="FasterException">A pending operation has failed; the session is closed.</exception>
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

    /// <summary>A commit has given this session a point.</summary>
    internal void Deliver(CommitPoint point)
    {
        Volatile.Write(ref _lastCommit, point);
        Feed.Publish(point);
        OnCommit?.Invoke(point);
    }

    /// <summary>Begins a call that may leave its epoch and go on, until what is returned is disposed of.</summary>
    internal unsafe SessionGate<TProbe>.Call BeginCall()
    {
        _ = IdleSlot();
        SessionGate<TProbe>.Call call = default;
        if (UserCode.IsInside(Mark) || !Gate.TryBeginCall(out call)) ThrowRefused();
        return call;
    }

    /// <summary>Announces the session's epoch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal unsafe EpochSlot* Enter()
    {
        EpochSlot* slot = IdleSlot();
        Epochs.Enter(slot);
        return slot;
    }

    /// <summary>Ends a session whose gate the caller has claimed; blocks while operations are pending.</summary>
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
            await CompleteAllAsync().ConfigureAwait(false);
        }
        finally
        {
            CloseClaimed();
        }
    }

    /// <summary>Closes the session without completing anything.</summary>
    internal void Close()
    {
        if (TryClaim()) CloseClaimed();
    }

    /// <summary>The epochs of the session's store.</summary>
    private protected EpochTable<TProbe> Epochs { get; }

    /// <summary>Whether the session's store has begun to close.</summary>
    private protected abstract bool IsStoreClosing { get; }

    /// <summary>Completes what is pending in a session that takes no calls any more.</summary>
    /// <exception cref="FasterException">A pending operation that nobody awaits has failed.</exception>
    private protected abstract void CompleteAll();

    /// <inheritdoc cref="CompleteAll"/>
    private protected abstract ValueTask CompleteAllAsync();

    /// <summary>Gives back what the session has of its engine. Nothing is pending, or ever will be.</summary>
    private protected abstract void ReleaseEngine();

    /// <summary>The slot, unless a call is inside.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private protected unsafe EpochSlot* IdleSlot()
    {
        EpochSlot* slot = Slot;
        if (slot->Epoch != 0) SessionMisuse.ThrowInUse(Name);
        return slot;
    }

    /// <summary>
    /// Refuses a call that has announced its epoch but may not be, having done nothing under it.
    /// </summary>
    private protected unsafe void RefuseIfShut()
    {
        if (!UserCode.IsInside(Mark) && Gate.MayStay()) return;
        Epochs.Leave(Slot);
        ThrowRefused();
    }

    // On success this thread owns the session, and no call can enter it.
    private bool TryClaim()
    {
        if (Gate.TryClaim(out bool isInUse)) return true;
        if (isInUse) SessionMisuse.ThrowInUse(Name);
        return false;
    }

    private unsafe void CloseClaimed()
    {
        Pending.Close();
        _registry.Close(this, Slot);
        ReleaseEngine();
        Feed.Close();
        Gate.End();
    }

    private void ThrowRefused() => SessionMisuse.ThrowRefused(Name, UserCode.IsInside(Mark), IsStoreClosing);
}
