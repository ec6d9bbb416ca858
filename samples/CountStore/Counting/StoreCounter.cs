using System.Collections.Concurrent;
using CountStore.Counting.Stores;
using Faster;

namespace CountStore.Counting;

/// <summary>A counter over a store, whose commits tell how far each share of the input is counted.</summary>
/// <remarks>
/// Each share has a session of its own. Counting a key is one operation, and the store numbers a session's operations
/// one by one: so the serial number of a session's commit point <em>is</em> the number of keys of its share that the
/// commit has counted, and no position need be kept beside the counts. Thread-safe.
/// </remarks>
internal sealed class StoreCounter : ICounter
{
    private readonly ConcurrentDictionary<string, long> _committed = [];
    private readonly ConcurrentDictionary<string, FailedUpdates> _failed = [];
    private readonly ICountStore _store;
    private long _commits;

    /// <summary>Counts in a store, which is the counter's then.</summary>
    /// <param name="store">The store.</param>
    /// <param name="awaited">As <see cref="Awaited"/>.</param>
    public StoreCounter(ICountStore store, int awaited = 0)
    {
        (_store, Awaited) = (store, awaited);
        _store.Base.Committed += OnCommitted;
    }

    /// <summary>What opening the store has recovered; null where nothing had been committed.</summary>
    public RecoveryReport? Recovery => _store.Base.Recovery;

    /// <inheritdoc/>
    public StoreUse Use => StoreUse.Of(_store.Base.Statistics);

    /// <summary>How many commits this run has made.</summary>
    public long Commits => Interlocked.Read(ref _commits);

    /// <summary>
    /// Where each update is durable when it is acknowledged, how many of a worker's are under way at once; else 0.
    /// </summary>
    public int Awaited { get; }

    /// <summary>
    /// Whether a session would be continued behind an update that failed, so that the counts are short. Read it when
    /// all workers have ended and the store is closed.
    /// </summary>
    public bool HasCommittedFailed => _failed.Any(session => session.Value.First
        <= Math.Max(session.Value.LastDurable, _committed.GetValueOrDefault(session.Key)));

    /// <inheritdoc/>
    public ICountWorker StartWorker() => Worker(session: null);

    /// <summary>The worker of one share, which goes on where the last commit has left it.</summary>
    /// <param name="share">From 0.</param>
    /// <param name="shares">How many there are.</param>
    public ICountWorker StartShare(int share, int shares) =>
        Worker($"share {share + 1} of {shares}");

    /// <summary>Commits what was counted before the call.</summary>
    public Task CommitAsync(CancellationToken cancellation) => _store.Base.CommitAsync(cancellation);

    /// <inheritdoc/>
    public void Visit(CountVisitor visitor) => _store.Visit(visitor);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _store.Base.DisposeAsync();

    /// <summary>What collects a session's updates that fail.</summary>
    /// <param name="session">The session's name; null for one that no later run goes on with.</param>
    public FailedUpdates FailedUpdatesOf(string? session) =>
        session is null ? new FailedUpdates() : _failed.GetOrAdd(session, _ => new FailedUpdates());

    private StoreWorker Worker(string? session) => new(this, _store.StartSession(session));

    private void OnCommitted(Commit commit)
    {
        Interlocked.Increment(ref _commits);
        foreach (CommitPoint point in commit.Points)
            if (point.SessionName is { } name) _committed[name] = point.SerialNumber;
    }
}
