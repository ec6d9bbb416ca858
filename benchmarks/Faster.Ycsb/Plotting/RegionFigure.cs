using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>
/// Throughput, growth of the log and updates in the fuzzy region, by the size of the mutable region (paper 000,
/// Fig. 12); by threads where their number varies and the size does not (Fig. 13).
/// </summary>
internal static class RegionFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<RegionResult> results)
    {
        string[] distributions = [.. results.Select(r => r.Distribution).Distinct()];
        bool byThreads = results.GroupBy(r => (r.Distribution, r.Threads)).All(g => g.Count() == 1)
            && results.Select(r => r.Threads).Distinct().Count() > 1;
        string x = byThreads ? "threads" : "mutable region ÷ records loaded";
        Panel[] panels =
        [
            Lines("read-modify-write", "M/s", r => r.OperationsPerSecond * Figures.PerMillion),
            Lines("growth of the log", "MiB/s", r => r.LogBytesPerSecond * Figures.PerMebibyte),
            Lines("in the fuzzy region", "% of updates", r => r.FuzzyPercent),
        ];
        return new Figure("The mutable region", panels.Length, panels);

        LinePanel Lines(string title, string y, Func<RegionResult, double> value) => new(
            title, x, y,
            [
                .. results.GroupBy(r => r.Distribution).Select(g => new Line(
                    new Series(g.Key, Array.IndexOf(distributions, g.Key)),
                    [.. g.Select(r => (X: byThreads ? r.Threads : r.MutableFactor, Y: value(r))).OrderBy(p => p.X)])),
            ], []);
    }
}
