using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>Memory accesses of reads, counted, beside the fewest that are possible and those of a chain.</summary>
internal static class HeatTable
{
    private const int ShownParts = 4;

    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyList<StepResult> results)
    {
        HeatTimelineResult[] timelines = [.. results.OfType<HeatTimelineResult>()];
        return timelines.Length > 0 ? RenderTimelines(timelines) : RenderCounts([.. results.OfType<HeatResult>()]);
    }

    private static string RenderCounts(HeatResult[] results)
    {
        var table = new MarkdownTable(
            names: 1, ["strategy", "theta", "keys per ring", "accesses", "optimum", "above it, %", "chain"]);
        foreach (HeatResult result in results)
        {
            table.Add(
            [
                result.Engine, Figures.Text(result.Theta, 2), Figures.Text(result.KeysPerBucket, 0),
                Figures.Text(result.Accesses, 2), Figures.Text(result.Optimum, 2),
                Figures.Text(100 * ((result.Accesses / result.Optimum) - 1), 1), Figures.Text(result.Chain, 1),
            ]);
        }

        return table.ToString();
    }

    private static string RenderTimelines(HeatTimelineResult[] results)
    {
        var table = new MarkdownTable(
            names: 1,
            ["strategy", "R", "M/s", "accesses in the quarters: first", "second", "third", "last", "rehashes"]);
        foreach (HeatTimelineResult result in results)
        {
            double[][] parts = [.. result.BinAccesses.Chunk((result.BinAccesses.Length + ShownParts - 1) / ShownParts)];
            table.Add(
            [
                result.Engine, Figures.Text(result.Interval, 0),
                Figures.Text(result.OperationsPerSecond * Figures.PerMillion, 2),
                .. Enumerable.Range(0, ShownParts).Select(
                    i => i < parts.Length ? Figures.Text(parts[i].Average(), 2) : "–"),
                Figures.Text(result.Rehashes[^1], 0),
            ]);
        }

        return table.ToString();
    }
}
