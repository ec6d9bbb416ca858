using Faster.Workload.Writes;

namespace Faster.Ycsb.Reports;

/// <summary>
/// Durable writes, a row for each form and engine: throughput as median, least and greatest, and how many times as fast
/// as the engine the first one is, run by run; the other figures are medians.
/// </summary>
internal static class DurableTable
{
    private const double Thousand = 1000;
    private const string None = "–";

    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyCollection<DurableResult> results)
    {
        string first = results.First().Engine;
        var table = new MarkdownTable(
            names: 4, "form", "keys", "engine", "as", "k/s", $"{first} ÷", "worst second, k/s", "p50", "p99", "syncs/s",
            "records a sync", "gap between syncs", "device flushes/s", "written ÷ user bytes", "device written ÷");
        foreach (var row in results.GroupBy(r => (r.Asked, r.Distribution, r.Engine, r.Form)))
        {
            double? Median(Func<DurableResult, double?> of) =>
                row.Select(of).OfType<double>().ToArray() is { Length: > 0 } known ? Spread.Of(known).Median : null;
            string Text(Func<DurableResult, double?> of, int digits) =>
                Median(of) is { } median ? Figures.Text(median, digits) : None;
            table.Add(
                row.Key.Asked, row.Key.Distribution, row.Key.Engine, row.Key.Form,
                Spread.Of(row.Select(r => r.OperationsPerSecond / Thousand)).ToString("F2"),
                Ratio(results.Where(r => r.Engine == first && r.Asked == row.Key.Asked
                    && r.Distribution == row.Key.Distribution), row),
                Text(r => r.WorstPerSecond / Thousand, 2), Figures.Latency(Median(r => r.Latency?.P50)),
                Figures.Latency(Median(r => r.Latency?.P99)), Text(r => r.SyncsPerSecond, 0),
                Text(r => r.RecordsPerSync, 1), Figures.Latency(Median(r => r.SyncGapSeconds)),
                Text(r => r.DeviceFlushesPerSecond, 0), Text(r => r.WriteAmplification, 2),
                Text(r => r.DeviceWriteAmplification, 2));
        }

        return table.ToString();
    }

    private static string Ratio(IEnumerable<DurableResult> first, IEnumerable<DurableResult> other)
    {
        double[] ratios = [.. first.Join(
            other, r => r.Run, r => r.Run, (ours, theirs) => ours.OperationsPerSecond / theirs.OperationsPerSecond)];
        return ratios.Length == 0 ? None : Spread.Of(ratios).ToString("F2");
    }
}
