using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>Hit rates in percent: a row for each stream and size of cache, a column for each rule.</summary>
internal static class SimulationTable
{
    /// <summary>Renders simulations.</summary>
    public static string Render(IReadOnlyList<SimulationResult> results)
    {
        string[] rules = [.. results.Select(r => r.Engine).Distinct()];
        var table = new MarkdownTable(names: 1, ["keys", "in cache, %", .. rules]);
        foreach (var row in results.GroupBy(r => (r.Distribution, r.Keys, r.CacheKeys)))
        {
            table.Add(
            [
                row.Key.Distribution, Figures.Text(100.0 * row.Key.CacheKeys / row.Key.Keys, 1),
                .. rules.Select(rule => Figures.Text(100 * row.Single(r => r.Engine == rule).HitRate, 1)),
            ]);
        }

        return table.ToString();
    }
}
