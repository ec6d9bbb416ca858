using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>
/// Throughput by size of the clients' buffers; above each bar the interval of commits (paper 004, Fig. 11).
/// </summary>
internal static class BufferFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<BufferResult> results)
    {
        string[] keys = [.. results.Select(r => r.Distribution).Distinct()];
        IEnumerable<BarGroup> groups = results.GroupBy(r => r.BufferBytes).OrderBy(g => g.Key).Select(
            g => new BarGroup(Figures.Bytes(g.Key), [.. g.Select(BarOf)]));
        var panel = new BarPanel(
            "Above each bar: the interval of commits", "buffer of each client", "million operations/s", [.. groups]);
        BufferResult one = results[0];
        string title = FormattableString.Invariant(
            $"Clients with buffers: {one.Threads} of them, {one.Workload}, {one.Keys:N0} keys");
        return new Figure(title, 1, [panel]) { PanelWidth = Figure.WidePanel };

        Bar BarOf(BufferResult result)
        {
            double value = result.OperationsPerSecond * Figures.PerMillion;
            var series = new Series(result.Distribution, Array.IndexOf(keys, result.Distribution));
            return new Bar(series, value, value, value, Figures.Time(result.IntervalSeconds));
        }
    }
}
