using Faster.Workload.Experiments;
using Faster.Ycsb.Inside;

namespace Faster.Ycsb.Reports;

/// <summary>How long small commits take, and how that compares with the disk's own synced writes.</summary>
internal static class SmallCommitTable
{
    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyList<SmallCommitResult> results)
    {
        var table = new MarkdownTable(
            names: 2, ["engine", "what", "records", "median, ms", "p90", "p99", "÷ in place", "÷ appended"]);
        foreach (var run in results.GroupBy(static r => r.Run))
        {
            double inPlace = run.Single(static r => r.Workload == SmallCommitExperiment.InPlace).P50;
            double appended = run.Single(static r => r.Workload == SmallCommitExperiment.Appended).P50;
            foreach (SmallCommitResult r in run.OrderBy(static r => r.Engine, StringComparer.Ordinal)
                .ThenBy(static r => r.Records))
            {
                table.Add(
                [
                    r.Engine, r.Workload, Figures.Text(r.Records, 0), Figures.Text(1_000 * r.P50, 3),
                    Figures.Text(1_000 * r.P90, 3), Figures.Text(1_000 * r.P99, 3), Figures.Text(r.P50 / inPlace, 2),
                    Figures.Text(r.P50 / appended, 2),
                ]);
            }
        }

        return table.ToString();
    }
}
