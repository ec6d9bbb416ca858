using Faster.Checkpoints;
using Faster.Log;

namespace Faster.Analytics;

/// <summary>The part of a log that a scan goes over, and which of its records are later than what it shows.</summary>
/// <param name="Begin">The lowest address.</param>
/// <param name="End">The first address after it; everything below is immutable.</param>
/// <param name="LaterFrom">From here on records with <paramref name="LaterCode"/> are later.</param>
/// <param name="LaterCode">A version's code, or 0: none is later.</param>
/// <param name="Now">
/// The time by which records have expired, from before the range's end was known: a record that was renewed later must
/// not be taken for dead. Null: the time at which each is read.
/// </param>
/// <param name="Snapshots">What is read instead of the log from some address on; or null.</param>
internal readonly record struct ScanRange(
    long Begin, long End, long LaterFrom = 0, byte LaterCode = 0, long? Now = null,
    SnapshotPages? Snapshots = null) : IDisposable
{
    /// <summary>The state as of a commit.</summary>
    /// <param name="commit">The commit.</param>
    /// <param name="now">The time.</param>
    /// <param name="snapshots">What the log itself does not have of it.</param>
    public static ScanRange AsOf(CommitExtent commit, long now, SnapshotPages? snapshots) => new(
        commit.Begin, commit.End, commit.Start, RecordHeader.CodeOf(commit.Commit.Version + 1), now, snapshots);

    /// <summary>Lets go of the snapshots.</summary>
    public void Dispose() => Snapshots?.Dispose();

    /// <summary>Whether a record is left out.</summary>
    public bool IsLater(long address, ulong header) =>
        LaterCode != 0 && address >= LaterFrom && RecordHeader.VersionCode(header) == LaterCode;
}
