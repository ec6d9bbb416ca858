using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>
/// The throughput of two builds as bars, by operation; a panel for each distribution and thread count.
/// </summary>
internal static class RestFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<RestResult> results)
    {
        Panel[] panels =
        [
            .. results.GroupBy(r => (r.Engine, r.Distribution, r.Threads)).Select(p => new BarPanel(
                $"{p.Key.Engine}, {p.Key.Distribution}, {Figures.Threads(p.Key.Threads)}",
                "operation", "million operations/s", [.. p.GroupBy(r => r.Workload).Select(Group)])),
        ];
        return new Figure("Two builds in turns, at rest", 2, panels);
    }

    private static BarGroup Group(IGrouping<string, RestResult> workload) => new(
        workload.Key,
        [.. workload.GroupBy(r => r.Build).OrderBy(b => b.Key, StringComparer.Ordinal).Select(BarOf)]);

    private static Bar BarOf(IGrouping<string, RestResult> build)
    {
        Spread spread = Spread.Of(build.Select(r => r.OperationsPerSecond * Figures.PerMillion));
        var series = new Series(build.Key, build.Key == RestTable.Base ? 1 : 0);
        return Bar.Of(series, spread, Figures.Text(spread.Median, 1));
    }
}
