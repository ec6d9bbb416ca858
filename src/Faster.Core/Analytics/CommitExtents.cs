using Faster.Checkpoints;
using Faster.Log;

namespace Faster.Analytics;

/// <summary>The commits that are known: the last ones before the store was opened, and all since.</summary>
/// <remarks>Bounded: of very many the oldest are forgotten. Thread-safe.</remarks>
/// <param name="shelf">The snapshots that are there still; null for a store that makes none.</param>
internal sealed class CommitExtents(SnapshotShelf? shelf)
{
    private const int Most = 4096;

    private readonly LinkedList<CommitExtent> _commits = new(); // oldest first
    private CommitExtent? _newest;

    /// <summary>Opened with each commit.</summary>
    public WaitGate Gate { get; } = new();

    /// <summary>The last commit, or null.</summary>
    public CommitExtent? Newest => Volatile.Read(ref _newest);

    /// <summary>Takes a commit that has become durable.</summary>
    public void Add(CommitExtent commit)
    {
        lock (_commits)
        {
            _commits.AddLast(commit);
            if (_commits.Count > Most) _commits.RemoveFirst();
        }

        Volatile.Write(ref _newest, commit);
        Gate.Open();
    }

    /// <summary>The commits whose state the log, with their snapshots, still has, oldest first.</summary>
    /// <param name="begin">Where the log begins now.</param>
    public IReadOnlyList<Commit> Scannable(long begin)
    {
        lock (_commits)
        {
            return [.. _commits.Where(commit => commit.Begin >= begin && HasSnapshots(commit))
                .Select(static commit => commit.Commit)];
        }
    }

    /// <summary>Finds where the log, with its snapshots, has the state of a commit.</summary>
    /// <param name="version">Its version.</param>
    /// <param name="begin">Where the log begins now.</param>
    /// <exception cref="CommitUnavailableException">It has not.</exception>
    public CommitExtent Find(long version, long begin)
    {
        CommitExtent? found;
        lock (_commits) found = _commits.LastOrDefault(commit => commit.Commit.Version == version);
        if (found is null)
        {
            throw CommitUnavailableException.Of(
                version, "it is not known: it was never made, or too many were made since");
        }

        if (found.Begin < begin)
        {
            throw CommitUnavailableException.Of(
                version, $"the log began at {found.Begin:N0} then and begins at {begin:N0} now: the rest was given up "
                + "by compaction or truncation");
        }

        return HasSnapshots(found) ? found : throw SnapshotGone(found);
    }

    /// <summary>
    /// Opens what only the snapshots of a commit have, or nothing if the log has all of it. The calls block.
    /// </summary>
    /// <param name="commit">The commit.</param>
    /// <param name="pageBits">The logarithm of the log's page size.</param>
    /// <exception cref="CommitUnavailableException">Its snapshots have been removed.</exception>
    /// <exception cref="DamagedDataException">They can't be trusted.</exception>
    /// <exception cref="StorageException">They can't be read.</exception>
    public SnapshotPages? OpenSnapshots(CommitExtent commit, int pageBits) => commit.IsFrozen
        ? null
        : shelf!.TryOpen(commit.Snapshots, commit.FlushedUntil, commit.End, pageBits) ?? throw SnapshotGone(commit);

    /// <summary>Deletes no snapshot any more: the store is closed.</summary>
    public void Close() => shelf?.Close();

    private bool HasSnapshots(CommitExtent commit) => commit.IsFrozen || shelf!.Has(commit.Snapshots);

    private static CommitUnavailableException SnapshotGone(CommitExtent commit) => CommitUnavailableException.Of(
        commit.Commit.Version,
        $"it was a commit of the kind {commit.Commit.Kind}, and its snapshot went when two later commits had been made."
        + " Begin to scan sooner, or commit by CommitKind.FoldOver to scan a state later");
}
