using Faster.Workload.Experiments;

namespace Faster.Ycsb.Plotting;

/// <summary>Hit rates by size of the cache, a panel for each stream (paper 000, Fig. 14 to 16).</summary>
internal static class SimulationFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<SimulationResult> results)
    {
        string[] rules = [.. results.Select(r => r.Engine).Distinct()];
        Panel[] panels =
        [
            .. results.GroupBy(r => (r.Distribution, r.Keys)).Select(p => new LinePanel(
                FormattableString.Invariant($"{p.Key.Distribution}, {p.Key.Keys:N0} keys"), "in cache, % of keys",
                "hits, %", [.. p.GroupBy(r => r.Engine).Select(LineOf)], [])),
        ];
        return new Figure("Hit rates of caches", Math.Min(panels.Length, 3), panels);

        Line LineOf(IGrouping<string, SimulationResult> rule) => new(
            new Series(rule.Key, Array.IndexOf(rules, rule.Key)),
            [
                .. rule.OrderBy(r => r.CacheKeys).Select(r => (100.0 * r.CacheKeys / r.Keys, 100 * r.HitRate)),
            ]);
    }
}
