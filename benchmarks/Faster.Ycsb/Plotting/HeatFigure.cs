using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>Memory accesses of reads by the keys of a ring, or over time (paper 002, Fig. 10–17).</summary>
internal static class HeatFigure
{
    private const int Columns = 2;

    /// <summary>The figure of counts: a panel for each skew.</summary>
    public static Figure Of(IReadOnlyList<HeatResult> results)
    {
        string[] engines = [.. results.Select(r => r.Engine).Distinct()];
        Panel[] panels =
        [
            .. results.GroupBy(r => r.Theta).Select(skew =>
            {
                HeatResult[] one = [.. skew.Where(r => r.Engine == engines[0])];
                Line[] lines =
                [
                    .. engines.Select((engine, i) => LineOf(
                        new Series(engine, i), skew.Where(r => r.Engine == engine), r => r.Accesses)),
                    LineOf(new Series("optimum", engines.Length, IsDashed: true), one, r => r.Optimum),
                    LineOf(new Series("chain", engines.Length + 1), one, r => r.Chain),
                ];
                return new LinePanel($"theta {Figures.Text(skew.Key, 2)}", "keys per ring", "accesses", lines, []);
            }),
        ];
        return new Figure("Memory accesses of a read", Columns, panels);
    }

    /// <summary>The figure of accesses and throughput over time.</summary>
    public static Figure Of(IReadOnlyList<HeatTimelineResult> results) => new(
        results[0].ShiftSecond > 0 ? "Other keys become hot" : "The index grows", Columns,
        [
            Over(results, "memory accesses of a read", "accesses", r => r.BinAccesses),
            Over(results, "throughput", "M/s", r => [.. r.BinPerSecond.Select(b => b * Figures.PerMillion)]),
        ]);

    private static LinePanel Over(
        IReadOnlyList<HeatTimelineResult> results, string title, string y, Func<HeatTimelineResult, double[]> values) =>
        new(
            title, "seconds", y,
            [
                .. results.Select((r, i) => new Line(
                    new Series($"{r.Engine}, R = {r.Interval}", i), [.. r.Seconds.Zip(values(r))])),
            ],
            []);

    private static Line LineOf(Series series, IEnumerable<HeatResult> results, Func<HeatResult, double> value) =>
        new(series, [.. results.OrderBy(r => r.KeysPerBucket).Select(r => ((double)r.KeysPerBucket, value(r)))]);
}
