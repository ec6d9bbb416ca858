using Faster.Contracts;
using Faster.Log;

namespace Faster.Commits;

/// <summary>
/// What sessions and the coordinator of commits share: the state word, where the next version begins in the log, the
/// bucket latches, and how many operations of each version wait for the disk.
/// </summary>
/// <remarks>
/// Written by the coordinator alone, but for the counts. A new state is published before the epoch is bumped; a session
/// reads it after it has announced its epoch. So when the bump's epoch is safe, everybody who is inside has seen it,
/// and whoever enters later will (docs/COMMITS.md). Thread-safe.
/// </remarks>
internal sealed class CommitState<TProbe>
    where TProbe : struct, IProbe
{
    private CommitWords _words;

    /// <summary>At rest at a version.</summary>
    public CommitState(long version, PendingOrder order, long stripes, TimeProvider? time = null)
    {
        Streams = new StreamingReads(time ?? TimeProvider.System);
        _words.State = new SystemState(CommitPhase.Rest, version).Word;
        Order = order;
        Latches = new BucketLatches<TProbe>(stripes);
    }

    /// <summary>The state's word, as every operation compares it.</summary>
    public long Word => Volatile.Read(ref _words.State);

    /// <summary>The state.</summary>
    public SystemState Current => new(Word);

    /// <summary>
    /// No record of the version after the one being committed lies below (Lh_s). Good from the phase InProgress on.
    /// </summary>
    public long StartAddress => Volatile.Read(ref _words.StartAddress);

    /// <summary>Whether pending operations belong where they were issued, or where they are continued.</summary>
    public PendingOrder Order { get; }

    /// <summary>The bucket latches.</summary>
    public BucketLatches<TProbe> Latches { get; }

    /// <summary>The reads that are as slow as their callers, for whom a commit may have to wait.</summary>
    public StreamingReads Streams { get; }

    /// <summary>
    /// Where those wait whom a latch or a phase holds up; opened whenever one of these may have changed.
    /// </summary>
    public WaitGate Gate { get; } = new();

    /// <summary>
    /// Whether operations that are ready shall be carried out by whoever can, so that a commit goes on.
    /// </summary>
    public bool CollectsPending => Order == PendingOrder.Strict && Current.Phase == CommitPhase.WaitPending;

    /// <summary>
    /// Whether a commit can't go on before sessions have ended a batch, or operations that are pending.
    /// </summary>
    public bool WaitsForSessions => CollectsPending || Current.Phase == CommitPhase.Prepare;

    /// <summary>
    /// Whether operations of the version being committed wait in a hash's bucket, so that one of the next version can't
    /// go on before they are done. Only looks.
    /// </summary>
    /// <remarks>
    /// What is held up waits at <see cref="Gate"/>, and each end of that opens the gate. The last operation of the
    /// bucket does, after it is counted no more (<see cref="RemovePending"/>). If it finds the state at rest instead,
    /// <see cref="Publish"/> has written that and opens the gate before it writes another state. Who looks only then
    /// sees a commit of the operation's own version, or of a later one, which does not hold it up: else an operation
    /// that is pending itself would wait for itself, and the commit for both.
    /// </remarks>
    /// <param name="hash">The hash.</param>
    /// <param name="version">The version of the operation that wants to go on.</param>
    public bool IsHeldUp(ulong hash, long version)
    {
        SystemState state = Current;
        return state.Phase != CommitPhase.Rest && state.Version < version && Latches.HasPending(hash, state.Version);
    }

    /// <summary>Publishes a state; bump the epoch after.</summary>
    public void Publish(SystemState state)
    {
        TProbe.Point(ProbePoint.CommitPhase);
        Volatile.Write(ref _words.State, state.Word);
        Gate.Open();
    }

    /// <summary>Sets where the next version begins; before InProgress is published.</summary>
    public void Begin(long startAddress) => Volatile.Write(ref _words.StartAddress, startAddress);

    /// <summary>How many operations of a version wait for the disk.</summary>
    public long PendingOf(long version) =>
        (version & 1) == 0 ? Volatile.Read(ref _words.PendingEven) : Volatile.Read(ref _words.PendingOdd);

    /// <summary>Counts an operation that goes pending, under its session's epoch.</summary>
    /// <returns>False when too many are: leave the epoch and wait.</returns>
    public bool TryAddPending(ulong hash, long version)
    {
        if (!Latches.TryAddPending(hash, version)) return false;
        Interlocked.Increment(ref CountOf(version));
        return true;
    }

    /// <summary>An operation of a version is carried out, or has failed.</summary>
    public void RemovePending(ulong hash, long version)
    {
        Latches.RemovePending(hash, version);
        bool isLast = Interlocked.Decrement(ref CountOf(version)) == 0;
        if (Current.Phase == CommitPhase.Rest) return;

        // The coordinator waits for the last one of all, operations of the next version for the last one of a bucket.
        if (isLast || !Latches.HasPending(hash, version)) Gate.Open();
    }

    private ref long CountOf(long version)
    {
        if ((version & 1) == 0) return ref _words.PendingEven;
        return ref _words.PendingOdd;
    }
}
