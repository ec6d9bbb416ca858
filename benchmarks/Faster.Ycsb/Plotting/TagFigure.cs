using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>Throughput by the bits of the index's tags (paper 000, §7.2.2).</summary>
internal static class TagFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<TagResult> results)
    {
        string[] distributions = [.. results.Select(r => r.Distribution).Distinct()];
        Line[] lines =
        [
            .. results.GroupBy(r => r.Distribution).Select(g => new Line(
                new Series(g.Key, Array.IndexOf(distributions, g.Key)),
                [
                    .. g.GroupBy(r => r.TagBits).OrderBy(b => b.Key).Select(b => (
                        (double)b.Key,
                        Spread.Of(b.Select(r => r.OperationsPerSecond)).Median * Figures.PerMillion)),
                ])),
        ];
        return new Figure("Tags of few bits", 1, [new LinePanel("50:50 in memory", "bits of a tag", "M/s", lines, [])]);
    }
}
