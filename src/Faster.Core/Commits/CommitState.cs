using Faster.Invariants;
using Faster.Log;
using Faster.Probes;

namespace Faster.Commits;

/// <summary>
/// The state that sessions and the commit coordinator share: the state word, the bucket latches, and the number of
/// pending operations of each version.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Only the coordinator writes the state; any session writes the counts.</item>
/// <item>When the epoch of the bump that follows a new state is safe, all sessions inside an epoch have seen the state,
/// and every session that enters later sees it: it is published before the bump, and read after the epoch is announced
/// (docs/internals/commits.md).</item>
/// <item>The count of a version is that of its pending operations, and never negative. Only two versions have pending
/// operations at a time.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class CommitState
{
    private CommitStateLayout _words;

    /// <summary>Makes the state of a store at rest at a version.</summary>
    public CommitState(long version, PendingOrder order, long stripes, TimeProvider? time = null)
    {
        Streams = new StreamingReads(time ?? TimeProvider.System);
        _words.State = new SystemState(CommitPhase.Rest, version).Word;
        Order = order;
        Latches = new BucketLatches(stripes);
    }

    /// <summary>The state's word (<see cref="SystemState.Word"/>).</summary>
    public long Word => Volatile.Read(ref _words.State);

    /// <summary>The phase, the version, and whether the store is poisoned.</summary>
    public SystemState Current => new(Word);

    /// <summary>
    /// Whether a pending operation belongs to the version in which it was issued, or to the one in which it is
    /// continued.
    /// </summary>
    public PendingOrder Order { get; }

    /// <summary>The bucket latches.</summary>
    public BucketLatches Latches { get; }

    /// <summary>The reads whose callers set their pace, and for which a commit may have to wait.</summary>
    public StreamingReads Streams { get; }

    /// <summary>
    /// Wakes those that a latch or a phase holds up; signaled whenever one of these may have changed.
    /// </summary>
    public WaitGate Gate { get; } = new();

    /// <summary>Whether any thread that can should carry out ready operations, so that a commit can proceed.</summary>
    public bool CollectsPending => Order == PendingOrder.Strict && Current.Phase == CommitPhase.WaitPending;

    /// <summary>Whether a commit can't proceed before sessions have ended a batch, or pending operations.</summary>
    public bool WaitsForSessions => CollectsPending || Current.Phase == CommitPhase.Prepare;

    /// <summary>
    /// Whether operations of the version being committed are pending in a hash's bucket, so that an operation of the
    /// next version can't proceed before they have ended. Changes nothing.
    /// </summary>
    /// <remarks>
    /// A held-up operation waits at <see cref="Gate"/>, and each event that may end the wait signals the gate. The last
    /// operation of the bucket does so after it is no longer counted (<see cref="RemovePending"/>). If it finds the
    /// state at rest instead, then <see cref="Publish"/> has written that state and signals the gate before it writes
    /// another one. A caller that checks only after that sees a commit of the operation's own version, or of a later
    /// one, which does not hold up the operation. Otherwise an operation that is pending itself would wait for itself,
    /// and the commit for both.
    /// </remarks>
    /// <param name="hash">The hash.</param>
    /// <param name="version">The version of the operation that wants to proceed.</param>
    public bool IsHeldUp(ulong hash, long version)
    {
        SystemState state = Current;
        return state.Phase != CommitPhase.Rest && state.Version < version && Latches.HasPending(hash, state.Version);
    }

    /// <summary>Publishes a state and signals the gate. The caller bumps the epoch afterwards.</summary>
    public void Publish(SystemState state)
    {
        Probe.Point(ProbePoint.CommitPhase);
        Volatile.Write(ref _words.State, state.Word);
        Gate.Signal();
    }

    /// <summary>The number of pending operations of a version.</summary>
    public long PendingOf(long version) =>
        (version & 1) == 0 ? Volatile.Read(ref _words.PendingEven) : Volatile.Read(ref _words.PendingOdd);

    /// <summary>Counts an operation that becomes pending, inside its session's epoch.</summary>
    /// <returns>False when too many operations are pending: the caller must leave the epoch and wait.</returns>
    public bool TryAddPending(ulong hash, long version)
    {
        if (!Latches.TryAddPending(hash, version)) return false;
        Interlocked.Increment(ref CountOf(version));
        return true;
    }

    /// <summary>Called when a pending operation of a version has ended, or has failed.</summary>
    public void RemovePending(ulong hash, long version)
    {
        Latches.RemovePending(hash, version);
        long left = Interlocked.Decrement(ref CountOf(version));
        Invariant.Check(left >= 0, $"a pending operation of version {version} is counted off once; {left} are left");
        bool isLast = left == 0;
        if (Current.Phase == CommitPhase.Rest) return;

        // The coordinator waits for the last one of all, operations of the next version for the last one of a bucket.
        if (isLast || !Latches.HasPending(hash, version)) Gate.Signal();
    }

    private ref long CountOf(long version)
    {
        if ((version & 1) == 0) return ref _words.PendingEven;
        return ref _words.PendingOdd;
    }
}
