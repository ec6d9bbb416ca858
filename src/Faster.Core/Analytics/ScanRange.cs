using Faster.Checkpoints;
using Faster.Log;

namespace Faster.Analytics;

/// <summary>The part of a log that a scan goes over, and which of its records are later than what it shows.</summary>
/// <param name="Begin">The lowest address.</param>
/// <param name="End">The first address after it; everything below is immutable.</param>
/// <param name="LaterFrom">From here on records with <paramref name="LaterCode"/> are later.</param>
/// <param name="LaterCode">A version's code, or 0: none is later.</param>
/// <param name="Snapshots">What is read instead of the log from some address on; or null.</param>
internal readonly record struct ScanRange(
    long Begin, long End, long LaterFrom = 0, byte LaterCode = 0, SnapshotPages? Snapshots = null) : IDisposable
{
    /// <summary>The state as of a commit.</summary>
    /// <param name="commit">The commit.</param>
    /// <param name="snapshots">What the log itself does not have of it.</param>
    public static ScanRange AsOf(CommitExtent commit, SnapshotPages? snapshots) => new(
        commit.Begin, commit.End, commit.Start, RecordHeader.CodeOf(commit.Commit.Version + 1), snapshots);

    /// <summary>Lets go of the snapshots.</summary>
    public void Dispose() => Snapshots?.Dispose();

    /// <summary>Whether a record is left out.</summary>
    public bool IsLater(long address, ulong header) =>
        LaterCode != 0 && address >= LaterFrom && RecordHeader.VersionCode(header) == LaterCode;
}
