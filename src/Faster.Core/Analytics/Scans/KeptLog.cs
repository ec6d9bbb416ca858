using Faster.LogCommits;
using Faster.Probes;

namespace Faster.Analytics.Scans;

/// <summary>A log of a store, with the truncated part of it that kept commits still need.</summary>
/// <param name="Source">The log.</param>
/// <param name="Space">The space that commits hold.</param>
/// <remarks>Thread-safe.</remarks>
internal sealed record KeptLog(LogSource Source, HeldSpace Space)
{
    /// <summary>The commits whose range of this log is still there, oldest first.</summary>
    public IReadOnlyList<Commit> Scannable => Source.Commits.Scannable(Space.FromAddress);

    /// <summary>Pins the range that has the state of a commit.</summary>
    /// <param name="version">The commit's version.</param>
    /// <param name="now">The time by which expiry is determined.</param>
    /// <returns>The range; disposing of it releases the pin.</returns>
    /// <exception cref="FasterException">The range, or a snapshot for it, is not there any more.</exception>
    /// <exception cref="DamagedDataException">The commit's snapshots are damaged.</exception>
    /// <exception cref="StorageException">The commit's snapshots cannot be read.</exception>
    public ScanRange PinCommit(long version, long now)
    {
        for (;;)
        {
            CommitLogRange range = Source.Commits.Find(version, Space.FromAddress);
            Probe.Point(ProbePoint.RegionMarker);
            if (Space.TryPin(range.Begin) is not { } pin) continue; // then it is found no more
            try
            {
                return ScanRange.AsOf(range, now, Source.Commits.OpenSnapshots(range, Source.Log.PageBits), pin);
            }
            catch
            {
                pin.Dispose();
                throw;
            }
        }
    }
}
