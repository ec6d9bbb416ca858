using Faster.Checkpoints;

namespace Faster.Analytics;

/// <summary>A commit, and the range of the log that holds its state.</summary>
/// <param name="Commit">The commit as users see it.</param>
/// <param name="Begin">The log's begin address at the commit.</param>
/// <param name="Start">Lh_s: no record of a later version is below it.</param>
/// <param name="End">Lh_e: no record of the commit's version is at or above it.</param>
/// <param name="FlushedUntil">
/// From this address on the snapshots have the commit's records, and the log may not.
/// </param>
/// <param name="Snapshots">A whole snapshot and the increments over it, oldest first; empty after a fold-over.</param>
internal sealed record CommitLogRange(
    Commit Commit, long Begin, long Start, long End, long FlushedUntil, IReadOnlyList<FileReference> Snapshots)
{
    /// <summary>Whether the log itself, not a separate file, permanently holds the commit's state.</summary>
    public bool IsInLog => Snapshots.Count == 0;

    /// <summary>Returns the range of a commit of an earlier process in the log of a name.</summary>
    public static CommitLogRange Of(CommitRecord record, string log) => Of(record.ToCommit(), record, log);

    /// <summary>Returns the range of a commit in the log of a name, with its record.</summary>
    public static CommitLogRange Of(Commit commit, CommitRecord record, string log)
    {
        CommittedLog of = record.LogOf(log);
        return new CommitLogRange(
            commit, of.BeginAddress, of.StartAddress, of.EndAddress, of.FlushedUntilAddress, of.Snapshots);
    }
}
