using System.ComponentModel;
using Faster.Analytics;
using Faster.Contracts;
using Faster.Index.Resizing;
using Faster.LogSessions;
using Faster.Opening;
using Faster.Sessions;
using Faster.Threads;

namespace Faster.Stores;

/// <summary>
/// What stores over hybrid logs have, of one tier or two: commits, sessions by name, faults, and an index that is
/// resized.
/// </summary>
/// <remarks>Thread-safe. Operations go through sessions; a store may have any number of them.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class LogStore : EngineStore, ICommittingStore, ILogCommitStore, IMergingStore, IIndexStore,
    IFaultStore
{
    private readonly Lock _lock = new();
    private (Commit Commit, long Moment)? _last;

    private protected LogStore(StorePlan plan) => Core = new LogStoreCore(this, plan) { StartInternal = StartInternal };

    /// <summary>
    /// Raised after each commit, in order, on a thread of the store. Handlers must return quickly; an exception that a
    /// handler throws becomes the store's last fault.
    /// </summary>
    public event Action<Commit>? Committed;

    /// <summary>
    /// Raised after each internal fault that affected no operation, in order, one at a time, on a thread-pool thread.
    /// An exception thrown by a handler is counted as a fault and raises no event.
    /// </summary>
    public event EventHandler<FaultEventArgs>? FaultOccurred
    {
        add => Core.Faults.Occurred += value;
        remove => Core.Faults.Occurred -= value;
    }

    /// <summary>What opening the store has recovered; null if there was no commit.</summary>
    public RecoveryReport? Recovery { get; private protected set; }

    /// <summary>
    /// The commits whose state can be scanned, oldest first: the last two, and those before them since which nothing
    /// has been truncated.
    /// </summary>
    public IReadOnlyList<Commit> ScannableCommits => Analytics.ScannableCommits;

    /// <summary>Scans, history, subscriptions, export and import.</summary>
    internal abstract override LogAnalytics Analytics { get; }

    /// <summary>The state that the store's sessions, tiers and background work share.</summary>
    internal LogStoreCore Core { get; }

    private protected abstract IndexSizer Sizer { get; }

    /// <summary>
    /// Commits: makes all operations before the call durable, while operations continue (paper 004 §5). Completes
    /// immediately if nothing has changed since the last commit.
    /// </summary>
    /// <param name="kind">
    /// How the commit captures the log, of two tiers the hot one's; null for the kind that the options have.
    /// </param>
    /// <param name="withIndex">
    /// Whether the commit includes a new index checkpoint, which shortens recovery. Commits include one from time to
    /// time anyway.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
    /// <exception cref="StorageException">
    /// The commit could not be written; no operation is lost. <see cref="StorageException.MayRetry"/> says whether it
    /// can be retried; if not, the store takes no more updates.
    /// </exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task<Commit> CommitAsync(
        CommitKind? kind = null, bool withIndex = false, CancellationToken cancellationToken = default) =>
        Core.RequireCoordinator().RequestAsync(kind ?? Core.Options.CommitKind, withIndex)
            .OrCanceled(cancellationToken);

    /// <summary>
    /// Takes a checkpoint of the index without a commit (paper 004 §5.4). Subsequent commits refer to it.
    /// </summary>
    /// <param name="cancellationToken">Cancels the wait, not the checkpoint.</param>
    /// <exception cref="StorageException">The checkpoint could not be written.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task CheckpointIndexAsync(CancellationToken cancellationToken = default) =>
        Core.RequireCoordinator().CheckpointIndexAsync().OrCanceled(cancellationToken);

    /// <summary>Forgets a named session that is not open. Later commits do not include it.</summary>
    /// <param name="name">The session's name; for a Guid, its text in the format "D".</param>
    /// <returns>Whether the session was known.</returns>
    /// <exception cref="SessionMisuseException">The session is open.</exception>
    public bool ForgetSession(string name) => Core.Sessions.Forget(name);

    /// <summary>Doubles the index while operations continue, before it is full enough to grow by itself.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the growth.</param>
    /// <exception cref="LimitExceededException">
    /// The index would exceed half of the memory budget, of two tiers the hot one's.
    /// </exception>
    public Task GrowIndexAsync(CancellationToken cancellationToken = default) =>
        ResizeIndexAsync(ResizeKind.Split, cancellationToken);

    /// <summary>Halves the index while operations continue, and gives the memory to the log.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the shrinking.</param>
    /// <exception cref="LimitExceededException">
    /// The index cannot be halved: it has its smallest size, has an odd number of buckets, or has been at its limit.
    /// </exception>
    public Task ShrinkIndexAsync(CancellationToken cancellationToken = default) =>
        ResizeIndexAsync(ResizeKind.Join, cancellationToken);

    /// <summary>Starts a session, or continues it.</summary>
    internal HashSession Start(string? name, bool mustBeKnown = false)
    {
        HashSession session = Core.Start(name, mustBeKnown, entry => MakeSession(name, entry));
        session.TimeToLive = Core.Options.TimeToLive; // may wait for an epoch, so not under the registry's lock
        return session;
    }

    /// <summary>Continues a session that was committed.</summary>
    internal HashSession Continue(string name, out CommitPoint point)
    {
        ArgumentNullException.ThrowIfNull(name);
        HashSession session = Start(name, mustBeKnown: true);
        point = session.RecoveredPoint;
        return session;
    }

    internal void OnFault(Exception fault) => Core.OnFault(fault);

    internal void OnCommitted(Commit commit)
    {
        Sizer.LookAgain();
        lock (_lock) _last = (commit, Environment.TickCount64);
        Committed?.Invoke(commit);
    }

    /// <summary>Returns an engine's figures with those that all log stores have.</summary>
    private protected TStatistics WithShared<TStatistics>(TStatistics own)
        where TStatistics : EngineStatistics
    {
        (Commit Commit, long Moment)? last;
        lock (_lock) last = _last;
        SessionCore[] open = Core.Sessions.Open;
        return (TStatistics)((EngineStatistics)own with
        {
            Sessions = open.Length,
            PendingOperations = open.Sum(static session => ((LogSession)session).PendingCount),
            LastCommit = last?.Commit,
            LastCommitAge = last is { } done
                ? TimeSpan.FromMilliseconds(Environment.TickCount64 - done.Moment)
                : null,
            StalledBy = Core.Epochs.StalledBy,
            LastFault = Core.Faults.Last,
        });
    }

    /// <summary>Starts a session that serves the store's own work, which commits ignore.</summary>
    private protected abstract LogSession StartInternal(string owner);

    /// <summary>Makes a session.</summary>
    private protected abstract HashSession MakeSession(string? name, SessionEntry entry);

    private Task ResizeIndexAsync(ResizeKind kind, CancellationToken cancellationToken)
    {
        Core.Closing.ThrowIfUnusable();
        return Sizer.ResizeOnRequestAsync(kind).OrCanceled(cancellationToken);
    }

    Task<Commit> ICommittingStore.CommitAsync(CancellationToken cancellationToken) =>
        CommitAsync(cancellationToken: cancellationToken);
}
