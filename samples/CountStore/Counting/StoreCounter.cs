using System.Collections.Concurrent;
using Faster;

namespace CountStore.Counting;

/// <summary>A counter over a store, whose commits tell how far each share of the input is counted.</summary>
/// <remarks>
/// Each share has a session of its own. Counting a key is one operation, and the store numbers a session's operations
/// one by one: so the serial number of a session's commit point <em>is</em> the number of keys of its share that the
/// commit has counted, and no position need be kept beside the counts. Thread-safe.
/// </remarks>
internal abstract class StoreCounter : ICounter
{
    private readonly ConcurrentDictionary<string, long> _committed = [];
    private readonly ConcurrentDictionary<string, long> _settled = [];
    private long _commits;

    /// <summary>What opening the store has recovered; null where nothing had been committed.</summary>
    public abstract RecoveryReport? Recovery { get; }

    /// <inheritdoc/>
    public abstract StoreUse Use { get; }

    /// <summary>How many commits this run has made.</summary>
    public long Commits => Interlocked.Read(ref _commits);

    /// <summary>
    /// Whether a commit covers an update that may have failed, so that what it has committed may be short. Read it
    /// when a worker has failed, all workers have ended and the store is closed.
    /// </summary>
    public bool HasCommittedUnsettled => _committed.Any(
        point => _settled.TryGetValue(point.Key, out long settled) && point.Value > settled);

    /// <inheritdoc/>
    public abstract ICountWorker StartWorker();

    /// <summary>The worker of one share, which goes on where the last commit has left it.</summary>
    /// <param name="share">From 0.</param>
    /// <param name="shares">How many there are.</param>
    public abstract ICountWorker StartShare(int share, int shares);

    /// <summary>Commits what was counted before the call.</summary>
    public abstract Task CommitAsync(CancellationToken cancellation);

    /// <inheritdoc/>
    public abstract void Visit(CountVisitor visitor);

    /// <inheritdoc/>
    public abstract ValueTask DisposeAsync();

    /// <summary>Notes that a session's updates up to a number have all been carried out.</summary>
    public void Settle(string session, long serialNumber) => _settled[session] = serialNumber;

    /// <summary>The name of a share's session.</summary>
    protected static string SessionName(int share, int shares) => $"share {share + 1} of {shares}";

    /// <summary>Notes a commit.</summary>
    protected void OnCommitted(Commit commit)
    {
        Interlocked.Increment(ref _commits);
        foreach (CommitPoint point in commit.Points)
            if (point.SessionName is { } name) _committed[name] = point.SerialNumber;
    }
}
