using Faster.Checkpoints;

namespace Faster.Analytics;

/// <summary>A commit, and where the log holds its state.</summary>
/// <param name="Commit">The commit.</param>
/// <param name="Begin">The log's lowest valid address then.</param>
/// <param name="Start">Lh_s: no record of a later version lies below.</param>
/// <param name="End">Lh_e: no record of the commit's version lies at or above.</param>
/// <param name="FlushedUntil">From here on the snapshots have the commit's records, and the log may not.</param>
/// <param name="Snapshots">A whole snapshot and the increments over it, oldest first; none after a fold-over.</param>
internal sealed record CommitExtent(
    Commit Commit, long Begin, long Start, long End, long FlushedUntil, IReadOnlyList<SnapshotReference> Snapshots)
{
    /// <summary>Whether the log itself, and not a file beside it, holds the commit's state for good.</summary>
    public bool IsFrozen => Commit.Kind == CommitKind.FoldOver;

    /// <summary>A commit of an earlier process.</summary>
    public static CommitExtent Of(CommitRecord record) => Of(
        new Commit
        {
            Version = record.Version, Kind = record.Kind, HasNewIndex = false, Points = record.Sessions,
            BytesWritten = 0, Elapsed = TimeSpan.Zero,
        },
        record);

    /// <summary>A commit and its record.</summary>
    public static CommitExtent Of(Commit commit, CommitRecord record) =>
        new(
            commit, record.Log.BeginAddress, record.Log.StartAddress, record.Log.EndAddress,
            record.Log.FlushedUntilAddress, record.Log.Snapshots);
}
