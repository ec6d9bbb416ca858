using System.Globalization;
using System.Text;
using Faster.Engines;
using Faster.Workload;

namespace Faster.Benchmarks.Table;

/// <summary>
/// A Markdown table of medians in million operations a second, one row a workload and one column an engine; behind
/// each peer's figure, how many times as fast the single calls and the batches are.
/// </summary>
internal static class ThroughputTable
{
    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyCollection<Measurement> measurements)
    {
        string[] engines = [.. measurements.Select(m => m.Engine).Distinct()];
        var text = new StringBuilder();
        text.Append("| M operations/s (median) |");
        foreach (string engine in engines)
            text.Append(CultureInfo.InvariantCulture, $" {engine} |");
        text.AppendLine().Append("|---|").Insert(text.Length, "---:|", engines.Length).AppendLine();

        foreach (var row in measurements.GroupBy(m => (m.Distribution, m.Workload, m.Threads)))
        {
            text.Append(
                CultureInfo.InvariantCulture, $"| {row.Key.Distribution} {row.Key.Workload}, {row.Key.Threads}T |");
            Dictionary<string, double> medians = row.GroupBy(m => m.Engine)
                .ToDictionary(g => g.Key, g => Median(g.Select(m => m.OperationsPerSecond)));
            foreach (string engine in engines)
                text.Append(CultureInfo.InvariantCulture, $" {Cell(engine, medians)} |");
            text.AppendLine();
        }

        return text.ToString();
    }

    private static string Cell(string engine, Dictionary<string, double> medians)
    {
        double own = medians[engine];
        string figure = string.Create(CultureInfo.InvariantCulture, $"{own / 1e6:F1}");
        bool isPeer = engine is not (StoreNames.Single or StoreNames.Batch);
        return isPeer && medians.TryGetValue(StoreNames.Single, out double single)
            && medians.TryGetValue(StoreNames.Batch, out double batch)
            ? string.Create(CultureInfo.InvariantCulture, $"{figure} ({single / own:F1}×, {batch / own:F1}×)")
            : figure;
    }

    private static double Median(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        int middle = sorted.Length / 2;
        return sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
