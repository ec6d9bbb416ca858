using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>What engines reach of their yardsticks' throughput, as bars with whiskers of nine rounds in ten.</summary>
internal static class SliceFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<SliceResult> results)
    {
        SliceResult[] compared = [.. results.Where(r => r.Engine != r.Yardstick)];
        string[] engines = [.. compared.Select(r => r.Engine).Distinct()];
        Panel[] panels =
        [
            .. compared.GroupBy(r => (r.Distribution, r.Threads)).Select(p => new BarPanel(
                $"{p.Key.Distribution}, {Figures.Threads(p.Key.Threads)}", "workload", SliceTable.RatioOf(results),
                [.. p.GroupBy(r => r.Workload).Select(w => new BarGroup(w.Key, [.. w.Select(r => new Bar(
                    new Series(r.Engine, Array.IndexOf(engines, r.Engine)), r.Ratio, r.RatioP10, r.RatioP90,
                    Figures.Text(r.Ratio, 2)))]))])),
        ];
        return new Figure($"Throughput {SliceTable.RatioOf(results)}", 1, panels) { PanelWidth = Figure.WidePanel };
    }
}
