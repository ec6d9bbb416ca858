using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>Throughput, files on disk and resident memory over time, while records are replaced.</summary>
internal static class ChurnFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<ChurnResult> results)
    {
        Panel[] panels =
        [
            Lines("throughput", "M/s", r => [.. r.BinPerSecond.Select(b => b * Figures.PerMillion)]),
            Lines("on disk", "MiB", r => [.. r.DiskBytes.Select(b => b * Figures.PerMebibyte)], withBudget: true),
            Lines("resident memory", "MiB", r => [.. r.ResidentBytes.Select(b => b * Figures.PerMebibyte)]),
        ];
        return new Figure("Churn under a disk budget", panels.Length, panels);

        LinePanel Lines(string title, string y, Func<ChurnResult, double[]> values, bool withBudget = false)
        {
            List<Line> lines =
            [
                .. results.Select((r, i) => new Line(new Series(r.Distribution, i), [.. r.Seconds.Zip(values(r))])),
            ];
            if (withBudget)
            {
                ChurnResult first = results[0];
                var budget = new Series("budget", results.Count, IsDashed: true);
                double height = first.DiskBudgetBytes * Figures.PerMebibyte;
                lines.Add(new Line(budget, [(0, height), (first.Seconds[^1], height)]));
            }

            return new LinePanel(title, "seconds", y, lines, []);
        }
    }
}
