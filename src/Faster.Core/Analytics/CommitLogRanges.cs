using Faster.Checkpoints;
using Faster.Checkpoints.Snapshots;
using Faster.Invariants;
using Faster.Log;

namespace Faster.Analytics;

/// <summary>The known commits: the last ones before the store was opened, and all since then.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Versions ascend, and every listed commit is durable.</item>
/// <item>At most 4,096 are kept; the oldest are forgotten.</item>
/// </list>
/// <para>Thread-safe: a short lock.</para>
/// </remarks>
/// <param name="snapshotFiles">The files of the existing snapshots; null for a store that makes none.</param>
internal sealed class CommitLogRanges(SnapshotFileRefs? snapshotFiles)
{
    private const int Most = 4096;

    private readonly LinkedList<CommitLogRange> _commits = new(); // oldest first
    private CommitLogRange? _newest;

    /// <summary>Signaled with each commit.</summary>
    public WaitGate Gate { get; } = new();

    /// <summary>The last commit, or null.</summary>
    public CommitLogRange? Newest => Volatile.Read(ref _newest);

    /// <summary>The commits that a store's folder has when the store is opened; none without a folder.</summary>
    /// <param name="catalog">The commits; null without a folder.</param>
    /// <param name="log">The name of the log whose ranges these are.</param>
    public static CommitLogRanges Of(CommitCatalog? catalog, string log)
    {
        var ranges = new CommitLogRanges(catalog?.Snapshots);
        foreach (CommitRecord commit in catalog?.Kept.Reverse() ?? []) ranges.Add(CommitLogRange.Of(commit, log));
        return ranges;
    }

    /// <summary>Adds a commit that has become durable.</summary>
    public void Add(CommitLogRange commit)
    {
        lock (_commits)
        {
            long newest = _commits.Last?.Value.Commit.Version ?? 0;
            Invariant.Check(
                commit.Commit.Version > newest && commit.Begin <= commit.End && commit.Start <= commit.End,
                $"versions ascend and End is last: version {commit.Commit.Version} after {newest}, {commit.Begin} and "
                + $"{commit.Start} to {commit.End}");
            _commits.AddLast(commit);
            if (_commits.Count > Most) _commits.RemoveFirst();
        }

        Volatile.Write(ref _newest, commit);
        Gate.Signal();
    }

    /// <summary>Returns the commits whose state the log, with their snapshots, still has, oldest first.</summary>
    /// <param name="from">The address from which on the log can be read.</param>
    public IReadOnlyList<Commit> Scannable(long from)
    {
        lock (_commits)
        {
            return [.. _commits.Where(commit => commit.Begin >= from && HasSnapshots(commit))
                .Select(static commit => commit.Commit)];
        }
    }

    /// <summary>Finds the range in which the log, with its snapshots, has the state of a commit.</summary>
    /// <param name="version">The commit's version.</param>
    /// <param name="from">The address from which on the log can be read.</param>
    /// <exception cref="FasterException">The log no longer has that state.</exception>
    public CommitLogRange Find(long version, long from)
    {
        CommitLogRange? found;
        lock (_commits) found = _commits.LastOrDefault(commit => commit.Commit.Version == version);
        if (found is null)
        {
            throw CommitUnavailable.Of(
                version, "it is unknown: it was never made, or too many commits were made since");
        }

        if (found.Begin < from)
        {
            throw CommitUnavailable.Of(
                version, $"the log began at {found.Begin:N0} then and is kept from {from:N0} on now: compaction or "
                + "truncation has removed the rest");
        }

        return HasSnapshots(found) ? found : throw SnapshotGone(found);
    }

    /// <summary>
    /// Opens the snapshots for the part of a commit that the log does not have, or returns null if the log has all of
    /// it. Blocks, as do reads of the result.
    /// </summary>
    /// <param name="commit">The commit to be scanned.</param>
    /// <param name="pageBits">The binary logarithm of the log's page size in bytes.</param>
    /// <exception cref="FasterException">The commit's snapshots have been removed.</exception>
    /// <exception cref="DamagedDataException">The snapshots are damaged.</exception>
    /// <exception cref="StorageException">The snapshots cannot be read.</exception>
    public SnapshotPages? OpenSnapshots(CommitLogRange commit, int pageBits) => commit.IsInLog
        ? null
        : snapshotFiles!.TryOpen(commit.Snapshots, commit.FlushedUntil, commit.End,
            pageBits) ?? throw SnapshotGone(commit);

    /// <summary>Stops the deletion of snapshots, because the store is closed.</summary>
    public void Close() => snapshotFiles?.Close();

    private bool HasSnapshots(CommitLogRange commit) => commit.IsInLog || snapshotFiles!.Has(commit.Snapshots);

    private static FasterException SnapshotGone(CommitLogRange commit) => CommitUnavailable.Of(
        commit.Commit.Version,
        $"it was a commit of kind {commit.Commit.Kind}, and its snapshot was deleted after two later commits."
        + " Start the scan sooner, or use CommitKind.FoldOver for a commit that is scanned later");
}
