using Faster.Workload.Writes;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>The time to open what was not closed, as lines by what had been acknowledged.</summary>
internal static class ReplayFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<ReplayResult> results)
    {
        Line[] lines =
        [
            .. results.GroupBy(r => r.Engine).Select((engine, i) => new Line(
                new Series(engine.Key, i),
                [
                    .. engine.GroupBy(r => r.WrittenBytes).OrderBy(length => length.Key).Select(length => (
                        length.Key * Figures.PerMebibyte, Spread.Of(length.Select(r => r.RecoverySeconds)).Median)),
                ])),
        ];
        return new Figure(
            "Opening a store that was not closed", 1,
            [new LinePanel("Time until it answers", "MiB acknowledged", "seconds", lines, [])]);
    }
}
