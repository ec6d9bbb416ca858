using Faster.Analytics;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Log;

namespace Faster.Tiered.Scans;

/// <summary>
/// The ranges of the two logs in which a scan finds every key that is live (docs/internals/tiers.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Both ranges are immutable, and stay on their devices until they are released, whatever is truncated.</item>
/// <item>A key that has a record in the hot range had that range's newest one as its record when the range became
/// immutable.</item>
/// <item>A key that has none had the cold range's newest record from the pin of the hot log until then. It was absent
/// if there is none.</item>
/// </list>
/// <para>Records move down, and a record's copy is linked before Begin of its log rises. So the hot log is pinned
/// first: what was truncated by then has its copy below the tail of the cold log, which is read later. The cold log is
/// pinned next, before its end is read: a record that is copied within the cold log meanwhile is in the range where it
/// was, or where it is. The end of the hot log is read last: what the cold range has from above the hot pin was written
/// below that end, so the hot range has its key, and decides.</para>
/// <para>A commit has recorded such ranges of itself: those from which it would be recovered.</para>
/// </remarks>
internal static class TieredScanRange
{
    /// <summary>Captures the ranges of a scan of what is live now.</summary>
    /// <param name="hot">The hot log.</param>
    /// <param name="cold">The cold log.</param>
    /// <param name="immutable">Waits until a log is immutable up to an address.</param>
    /// <returns>The ranges, the hot one first. The caller releases them.</returns>
    public static async Task<ScanPart<TProbe>[]> CaptureAsync<TProbe>(
        LogSource<TProbe> hot, LogSource<TProbe> cold, Func<LogSource<TProbe>, long, Task> immutable)
        where TProbe : struct, IProbe
    {
        long now = hot.Core.Clock.Now, coldEnd = 0;
        if (TProbe.Has(SeededBug.ScanEndsBelowFirst)) coldEnd = cold.ShiftReadOnlyToTail();
        LogPins.Pin hotPin = Pin(hot), coldPin = Pin(cold);
        try
        {
            if (coldEnd == 0) coldEnd = cold.ShiftReadOnlyToTail();
            await immutable(cold, coldEnd).ConfigureAwait(false);
            long hotEnd = hot.ShiftReadOnlyToTail();
            await immutable(hot, hotEnd).ConfigureAwait(false);
            return
            [
                new(hot, new ScanRange(hotPin.Address, hotEnd, Now: now, Pin: hotPin)),
                new(cold, new ScanRange(coldPin.Address, coldEnd, Now: now, Pin: coldPin)),
            ];
        }
        catch
        {
            coldPin.Dispose();
            hotPin.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Captures the ranges with the state as of a commit. Blocks while it opens the commit's snapshots.
    /// </summary>
    /// <param name="hot">The hot log.</param>
    /// <param name="cold">The cold log.</param>
    /// <param name="version">The commit's version.</param>
    /// <returns>The ranges, the hot one first. The caller releases them.</returns>
    /// <exception cref="CommitUnavailableException">The state can't be reconstructed any more.</exception>
    public static ScanPart<TProbe>[] OfCommit<TProbe>(KeptLog<TProbe> hot, KeptLog<TProbe> cold, long version)
        where TProbe : struct, IProbe
    {
        long now = hot.Source.Core.Clock.Now;
        ScanRange ofHot = hot.PinCommit(version, now);
        try
        {
            ScanRange ofCold = cold.PinCommit(version, now);
            if (TProbe.Has(SeededBug.CommitScanPassesEnd))
                ofCold = ofCold with { End = cold.Source.Log.SafeImmutableAddress };
            return [new(hot.Source, ofHot), new(cold.Source, ofCold)];
        }
        catch
        {
            ofHot.Dispose();
            throw;
        }
    }

    /// <summary>Pins a log from its begin on.</summary>
    public static LogPins.Pin Pin<TProbe>(LogSource<TProbe> source)
        where TProbe : struct, IProbe
    {
        for (;;)
        {
            long begin = source.Log.BeginAddress;
            TProbe.Point(ProbePoint.RegionMarker);
            if (source.Log.TryPin(begin) is { } pin) return pin;
        }
    }
}
