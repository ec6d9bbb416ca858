using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>What the size of the mutable region does: a row for each measurement.</summary>
internal static class RegionTable
{
    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyList<RegionResult> results)
    {
        var table = new MarkdownTable(names: 1,
            ["keys", "threads", "mutable ÷ loaded", "M/s", "log growth, MiB/s", "fuzzy, %", "from disk, %"]);
        foreach (RegionResult result in results)
        {
            table.Add(
            [
                result.Distribution, Figures.Text(result.Threads, 0), Figures.Text(result.MutableFactor, 2),
                Figures.Text(result.OperationsPerSecond * Figures.PerMillion, 2),
                Figures.Text(result.LogBytesPerSecond * Figures.PerMebibyte, 1),
                Figures.Text(result.FuzzyPercent, 4), Figures.Text(result.DiskPercent, 4),
            ]);
        }

        return table.ToString();
    }
}
