using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>Engines beside their yardsticks: a row for each engine and workload.</summary>
internal static class SliceTable
{
    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyList<SliceResult> results)
    {
        var table = new MarkdownTable(names: 3,
            ["workload", "keys", "engine", "threads", "M/s", RatioOf(results), "p10–p90", "slices"]);
        foreach (SliceResult result in results)
        {
            table.Add(
            [
                result.Workload, result.Distribution, result.Engine, Figures.Text(result.Threads, 0),
                Figures.Text(result.OperationsPerSecond * Figures.PerMillion, 2), Figures.Text(result.Ratio, 2),
                $"{Figures.Text(result.RatioP10, 2)}–{Figures.Text(result.RatioP90, 2)}",
                Figures.Text(result.Slices, 0),
            ]);
        }

        return table.ToString();
    }

    /// <summary>The name of the ratio: of one yardstick, or of the bare table's single calls and batches.</summary>
    public static string RatioOf(IReadOnlyList<SliceResult> results)
    {
        string[] yardsticks = [.. results.Select(r => r.Yardstick).Distinct()];
        return $"÷ {(yardsticks.Length == 1 ? yardsticks[0] : "bare")}";
    }
}
