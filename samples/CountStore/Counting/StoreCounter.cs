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
    private readonly ConcurrentDictionary<string, long> _settled = [];
    private readonly ICountStore _store;
    private long _commits;

    /// <summary>Counts in a store, which is the counter's then.</summary>
    public StoreCounter(ICountStore store)
    {
        _store = store;
        _store.Committed += OnCommitted;
    }

    /// <summary>What opening the store has recovered; null where nothing had been committed.</summary>
    public RecoveryReport? Recovery => _store.Recovery;

    /// <inheritdoc/>
    public StoreUse Use => _store.Use;

    /// <summary>How many commits this run has made.</summary>
    public long Commits => Interlocked.Read(ref _commits);

    /// <summary>
    /// Whether a commit covers an update that may have failed, so that what it has committed may be short. Read it
    /// when a worker has failed, all workers have ended and the store is closed.
    /// </summary>
    public bool HasCommittedUnsettled => _committed.Any(
        point => _settled.TryGetValue(point.Key, out long settled) && point.Value > settled);

    /// <inheritdoc/>
    public ICountWorker StartWorker() => _store.StartWorker(this, session: null);

    /// <summary>The worker of one share, which goes on where the last commit has left it.</summary>
    /// <param name="share">From 0.</param>
    /// <param name="shares">How many there are.</param>
    public ICountWorker StartShare(int share, int shares) =>
        _store.StartWorker(this, $"share {share + 1} of {shares}");

    /// <summary>Commits what was counted before the call.</summary>
    public Task CommitAsync(CancellationToken cancellation) => _store.CommitAsync(cancellation);

    /// <inheritdoc/>
    public void Visit(CountVisitor visitor) => _store.Visit(visitor);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _store.DisposeAsync();

    /// <summary>Notes that a session's updates up to a number have all been carried out.</summary>
    public void Settle(string session, long serialNumber) => _settled[session] = serialNumber;

    private void OnCommitted(Commit commit)
    {
        Interlocked.Increment(ref _commits);
        foreach (CommitPoint point in commit.Points)
            if (point.SessionName is { } name) _committed[name] = point.SerialNumber;
    }
}
