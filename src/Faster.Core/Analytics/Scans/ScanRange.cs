using Faster.Checkpoints.Snapshots;
using Faster.Log;
using Faster.Log.Records;

namespace Faster.Analytics.Scans;

/// <summary>The range of a log that a scan covers, and which of its records are later than the scanned state.</summary>
/// <param name="Begin">The lowest address of the range.</param>
/// <param name="End">The first address after the range; everything below it is immutable or in the snapshots.</param>
/// <param name="LaterFrom">The address from which on records with <paramref name="LaterCode"/> are later.</param>
/// <param name="LaterCode">The version code of later records; 0 if there are none.</param>
/// <param name="Now">
/// The time by which expiry is determined, read before the end of the range was determined: a record that was renewed
/// later must not be treated as expired. Null: the time at which each record is read.
/// </param>
/// <param name="Snapshots">The snapshots that are read instead of the log from their first address on; or null.</param>
/// <param name="Pin">
/// Keeps the range on the device although the log is truncated meanwhile; null for a subscription, which holds nothing.
/// </param>
internal readonly record struct ScanRange(
    long Begin, long End, long LaterFrom = 0, byte LaterCode = 0, long? Now = null,
    SnapshotPages? Snapshots = null, LogPins.Pin? Pin = null) : IDisposable
{
    /// <summary>Returns the range with the state as of a commit.</summary>
    /// <param name="commit">The commit to scan.</param>
    /// <param name="now">The time by which expiry is determined.</param>
    /// <param name="snapshots">The snapshots with the part that the log does not have; or null.</param>
    /// <param name="pin">Keeps the range on the device.</param>
    public static ScanRange AsOf(CommitLogRange commit, long now, SnapshotPages? snapshots, LogPins.Pin pin) => new(
        commit.Begin, commit.End, commit.Start, RecordHeader.CodeOf(commit.Commit.Version + 1), now, snapshots, pin);

    /// <summary>Releases the snapshots and the pin.</summary>
    public void Dispose()
    {
        Snapshots?.Dispose();
        Pin?.Dispose();
    }

    /// <summary>Returns whether a record is later than the scanned state.</summary>
    public bool IsLater(long address, ulong header) =>
        LaterCode != 0 && address >= LaterFrom && RecordHeader.VersionCode(header) == LaterCode;
}
