using Faster.Log;
using Faster.Probes;

namespace Faster.Analytics.Scans;

/// <summary>
/// The logs of a store, one or two, and the ranges of them in which a scan finds every key that is live
/// (docs/internals/analytics.md, docs/internals/tiers.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>All ranges are immutable, and stay on their devices until they are released, whatever is truncated.</item>
/// <item>A key that has a record in the range of a log had that range's newest one as its record when the range became
/// immutable, unless the log above has one in its own.</item>
/// <item>A key that has none in any range was absent at some moment after the first pin.</item>
/// </list>
/// <para>Records move up within a log, or down to the next one, and a record's copy is linked before Begin of its log
/// rises. So each log is pinned before its end is read: a record that is copied within it meanwhile is in the range
/// where it was, or where it is, and what was truncated by then has its copy below the end. Of two logs, the upper one
/// is pinned first: what had left it by then is below the tail of the lower one, which is read later. The end of the
/// upper one is read last: what the lower range has from above the upper pin was written below that end, so the upper
/// range has its key, and decides.</para>
/// <para>A commit has recorded such ranges of itself: those from which it would be recovered.</para>
/// <para>Thread-safe.</para>
/// </remarks>
/// <param name="sources">The logs, that with the newest records first.</param>
/// <param name="kept">What commits keep of them; null: the store has no commits.</param>
internal sealed class ScannedLogs(IReadOnlyList<LogSource> sources, IReadOnlyList<KeptLog>? kept)
{
    /// <summary>The commits whose ranges are there in all logs, oldest first.</summary>
    public IReadOnlyList<Commit> Scannable
    {
        get
        {
            if (kept is null) return [];
            IEnumerable<Commit> commits = kept[0].Scannable;
            foreach (KeptLog log in kept.Skip(1))
            {
                HashSet<long> there = [.. log.Scannable.Select(static commit => commit.Version)];
                commits = commits.Where(commit => there.Contains(commit.Version));
            }

            return [.. commits];
        }
    }

    /// <summary>Captures the ranges of a scan.</summary>
    /// <param name="asOf">The commit with the scanned state; null for what is live now.</param>
    /// <param name="ct">Cancels the waiting.</param>
    /// <returns>The ranges, in the order of the logs. The caller releases them.</returns>
    /// <exception cref="FasterException">The state can't be reconstructed any more.</exception>
    public async Task<ScanPart[]> CaptureAsync(Commit? asOf, CancellationToken ct)
    {
        if (asOf is null)
        {
            return await CaptureAsync(sources, (source, end) => source.ImmutableAsync(end, ct))
                .ConfigureAwait(false);
        }

        if (kept is null)
            throw CommitUnavailable.Of(asOf.Version, "the store has no folder, and so no commits");
        sources[0].Guard.Enter();
        try
        {
            return await Task.Run(() => OfCommit(kept, asOf.Version), CancellationToken.None).ConfigureAwait(false);
        }
        finally
        {
            sources[0].Guard.Leave();
        }
    }

    /// <summary>Captures the ranges of a scan of what is live now.</summary>
    /// <param name="logs">The logs, that with the newest records first.</param>
    /// <param name="immutable">Waits until a log is immutable up to an address.</param>
    public static async Task<ScanPart[]> CaptureAsync(
        IReadOnlyList<LogSource> logs, Func<LogSource, long, Task> immutable)
    {
        long now = logs[0].Core.Clock.Now, early = 0;
        if (Probe.On && Probe.Has(SeededBug.ScanEndsBelowFirst)) early = logs[^1].ShiftReadOnlyToTail();
        var pins = new List<LogPins.Pin>();
        try
        {
            foreach (LogSource log in logs) pins.Add(Pin(log.Log));
            var parts = new ScanPart[logs.Count];
            for (int i = logs.Count - 1; i >= 0; i--, early = 0)
            {
                long end = early != 0 ? early : logs[i].ShiftReadOnlyToTail();
                await immutable(logs[i], end).ConfigureAwait(false);
                parts[i] = new(logs[i], new ScanRange(pins[i].Address, end, Now: now, Pin: pins[i]));
            }

            return parts;
        }
        catch
        {
            pins.ForEach(static pin => pin.Dispose());
            throw;
        }
    }

    /// <summary>
    /// Captures the ranges with the state as of a commit. Blocks while it opens the commit's snapshots.
    /// </summary>
    /// <param name="logs">The logs, that with the newest records first.</param>
    /// <param name="version">The commit's version.</param>
    public static ScanPart[] OfCommit(IReadOnlyList<KeptLog> logs, long version)
    {
        long now = logs[0].Source.Core.Clock.Now;
        var parts = new List<ScanPart>();
        try
        {
            foreach (KeptLog log in logs) parts.Add(new(log.Source, log.PinCommit(version, now)));
            if (Probe.On && Probe.Has(SeededBug.CommitScanPassesEnd))
            {
                long end = logs[^1].Source.Log.SafeImmutableAddress;
                parts[^1] = parts[^1] with { Range = parts[^1].Range with { End = end } };
            }

            return [.. parts];
        }
        catch
        {
            parts.ForEach(static part => part.Range.Dispose());
            throw;
        }
    }

    /// <summary>Pins a log from its begin on.</summary>
    public static LogPins.Pin Pin(PagedLog log)
    {
        for (;;)
        {
            long begin = log.BeginAddress;
            Probe.Point(ProbePoint.RegionMarker);
            if (log.TryPin(begin) is { } pin) return pin;
        }
    }
}
