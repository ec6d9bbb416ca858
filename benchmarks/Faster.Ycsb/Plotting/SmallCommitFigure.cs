using System.Globalization;
using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>The medians of small commits beside the disk's own synced writes, with whiskers up to the p90.</summary>
internal static class SmallCommitFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<SmallCommitResult> results)
    {
        string[] names = [.. results.Select(NameOf).Distinct()];
        BarGroup[] groups =
        [
            .. results.GroupBy(static r => r.Records).OrderBy(static g => g.Key).Select(g => new BarGroup(
                g.Key == 0 ? "the disk" : g.Key.ToString("N0", CultureInfo.InvariantCulture),
                [.. g.GroupBy(NameOf).Select(BarOf)])),
        ];
        return new Figure(
            "Commits of few records", 1,
            [new BarPanel("median, to p90", "records of 400 bytes a commit", "milliseconds", groups)])
        {
            PanelWidth = Figure.WidePanel,
        };

        Bar BarOf(IGrouping<string, SmallCommitResult> runs)
        {
            double median = 1_000 * Spread.Of(runs.Select(static r => r.P50)).Median;
            double p90 = 1_000 * Spread.Of(runs.Select(static r => r.P90)).Median;
            return new Bar(
                new Series(runs.Key, Array.IndexOf(names, runs.Key)), median, median, p90, Figures.Text(median, 2));
        }
    }

    private static string NameOf(SmallCommitResult result) => result.Records == 0 ? result.Workload : result.Engine;
}
