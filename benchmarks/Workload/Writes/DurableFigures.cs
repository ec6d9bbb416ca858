using Faster.Workload.Cells;
using Faster.Workload.Experiments;

namespace Faster.Workload.Writes;

/// <summary>What was counted while durable writes were measured; null where nobody tells.</summary>
/// <param name="Timeline">How many were acknowledged, over time.</param>
/// <param name="Latency">The times of calls.</param>
/// <param name="Syncs">The engine's syncs meanwhile.</param>
/// <param name="Before">Input and output when it began.</param>
/// <param name="After">Input and output when it ended.</param>
internal sealed record DurableFigures(
    Timeline Timeline, LatencyResult? Latency, SyncCounts? Syncs, IOCounters? Before, IOCounters? After)
{
    private const double WorstWindow = 1;

    /// <summary>The result.</summary>
    /// <param name="engine">Whose it is.</param>
    /// <param name="shape">How writes waited.</param>
    /// <param name="settings">What was measured.</param>
    /// <param name="compared">How many values were checked afterwards.</param>
    public DurableResult ResultOf(string engine, WriteShape shape, DurableSettings settings, long compared)
    {
        IReadOnlyList<Sample> ends = Timeline.EachBin(settings.Bin);
        double seconds = ends[^1].Seconds - ends[0].Seconds;
        long writes = ends[^1].Operations - ends[0].Operations;
        double? perUserByte = 1.0 / (Math.Max(1, writes) * DurableSettings.RecordBytes);
        long? syncs = Syncs?.Count is > 0 and var count ? count : null;
        return new DurableResult
        {
            Engine = engine,
            Workload = "upsert",
            Distribution = EnumNames.Of(settings.Distribution),
            Keys = settings.Keys,
            Threads = shape.Sessions,
            OperationsPerSecond = writes / seconds,
            Form = shape.ToString(),
            Asked = shape.ToString(),
            Outstanding = shape.Outstanding,
            Latency = Latency,
            SyncsPerSecond = Round(syncs / seconds),
            RecordsPerSync = Round((double)writes / syncs),
            SyncGapSeconds = Syncs?.Seconds is { } syncing ? Math.Max(0, seconds - syncing) / syncs : null,
            DeviceFlushesPerSecond = Round((After?.DeviceFlushes - Before?.DeviceFlushes) / seconds),
            WriteAmplification = Round((After?.ProcessWritten - Before?.ProcessWritten) * perUserByte),
            DeviceWriteAmplification = Round((After?.DeviceWritten - Before?.DeviceWritten) * perUserByte),
            WorstPerSecond = Math.Round(Timeline.Worst(ends[0].Seconds, ends[^1].Seconds, WorstWindow)),
            Checked = compared,
            Seconds = [.. ends.Skip(1).Select(end => Math.Round(end.Seconds, 3))],
            BinPerSecond = [.. ends.Zip(ends.Skip(1), (a, b) => Math.Round(
                (b.Operations - a.Operations) / (b.Seconds - a.Seconds)))],
        };
    }

    private static double? Round(double? value) => value is { } given ? Math.Round(given, 2) : null;
}
