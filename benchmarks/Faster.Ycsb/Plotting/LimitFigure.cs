using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>What memory and disk can do, as bars.</summary>
internal static class LimitFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<LimitResult> results)
    {
        LimitResult[] memory = [.. results.Where(r => r.HugePages is not null)];
        LimitResult[] random = [.. results.Where(r => r.HugePages is null && r.Distribution == "random")];
        Panel[] panels =
        [
            .. memory.GroupBy(r => r.Threads).Select(p => new BarPanel(
                $"Memory, {Figures.Threads(p.Key)}", "measurement", "million operations/s",
                [.. p.GroupBy(r => Short(r)).Select(m => new BarGroup(
                    m.Key, [.. m.Select(r => BarOf(PagesOf(r), r.OperationsPerSecond * Figures.PerMillion, 0))]))])),
            .. random.GroupBy(r => r.Bytes).Select(p => new BarPanel(
                $"Random reads of {Figures.Bytes(p.Key)}", "reads under way", "thousand reads/s",
                [.. p.GroupBy(r => r.Depth).Select(d => new BarGroup(
                    $"{d.Key}", [.. d.Select(r => BarOf(CallsOf(r), r.OperationsPerSecond / 1000, 1))]))])),
        ];
        return new Figure("What the machine can do", 1, panels) { PanelWidth = Figure.WidePanel };
    }

    private static string Short(LimitResult result) =>
        result.Distribution == "random" ? result.Workload : $"{result.Workload}, {result.Distribution}";

    private static Series PagesOf(LimitResult result) =>
        result.HugePages == true ? new Series("huge pages", 0) : new Series("pages of 4 KiB", 1);

    private static Series CallsOf(LimitResult result) =>
        result.Workload == "ring-read"
            ? new Series("one thread, io_uring", 0)
            : new Series("a thread each", 1);

    private static Bar BarOf(Series series, double value, int digits) =>
        new(series, value, value, value, Figures.Text(value, digits));
}
