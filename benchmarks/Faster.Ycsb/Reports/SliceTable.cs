using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>Engines beside their yardsticks: a row for each engine and workload.</summary>
internal static class SliceTable
{
    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyList<SliceResult> results)
    {
        var table = new MarkdownTable(names: 3,
            ["workload", "keys", "engine", "threads", "M/s", "÷ bare", "p10–p90", "slices"]);
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
}
