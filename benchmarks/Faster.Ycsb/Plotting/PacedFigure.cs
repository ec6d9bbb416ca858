using System.Globalization;
using Faster.Workload.Writes;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>What engines reach of their yardsticks' reads beside paced writes, with whiskers from p10 to p90.</summary>
internal static class PacedFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<PacedResult> results)
    {
        Panel[] panels =
        [
            .. results.GroupBy(r => (r.Distribution, r.Engine, r.Yardstick)).Select(p => new BarPanel(
                $"{p.Key.Engine}, {p.Key.Distribution}", "writes, % of all operations", $"÷ {p.Key.Yardstick}",
                [.. p.Select(r => new BarGroup(r.WrittenPercent.ToString(CultureInfo.InvariantCulture), [new Bar(
                    new Series(r.Engine, 0), r.Ratio, r.RatioP10, r.RatioP90, Figures.Text(r.Ratio, 2))]))])),
        ];
        return new Figure("Reads beside awaited writes", 2, panels);
    }
}
