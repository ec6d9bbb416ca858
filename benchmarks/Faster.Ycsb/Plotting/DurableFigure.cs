using Faster.Workload.Writes;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>
/// Durable writes by form and engine: throughput, times of calls and writes a sync; of long runs, the throughput over
/// time.
/// </summary>
internal static class DurableFigure
{
    private const double Thousand = 1000, Milliseconds = 1000;
    private const int BinsOfLongRuns = 20;

    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<DurableResult> results)
    {
        string[] engines = [.. results.Select(r => r.Engine).Distinct()];
        Panel Bars(string title, string y, Func<DurableResult, double?> value, int digits) => new BarPanel(
            title, "form", y,
            [
                .. results.GroupBy(NameOf).Select(form => new BarGroup(
                    form.Key,
                    [.. form.GroupBy(r => r.Engine).SelectMany(e => BarOf(SeriesOf(e.Key), e.Select(value), digits))])),
            ]);
        List<Panel> panels =
        [
            Bars("Acknowledged writes", "thousands/s", r => r.OperationsPerSecond / Thousand, 1),
            Bars("Median time of a call", "ms", r => r.Latency?.P50 * Milliseconds, 2),
            Bars("99 % of calls within", "ms", r => r.Latency?.P99 * Milliseconds, 1),
            Bars("Writes that share a sync", "writes", r => r.RecordsPerSync, 1),
        ];
        panels.AddRange(results.Where(r => r.Run == 1 && r.Seconds.Count >= BinsOfLongRuns).GroupBy(NameOf)
            .Select(form => new LinePanel(
                $"{form.Key} over time", "seconds", "thousands/s",
                [
                    .. form.Select(r => new Line(
                        SeriesOf(r.Engine), [.. r.Seconds.Zip(r.BinPerSecond, (x, y) => (x, y / Thousand))])),
                ],
                [])));
        return new Figure("Durable writes of 100 bytes", 1, panels) { PanelWidth = Figure.WidePanel };

        Series SeriesOf(string engine) => new(engine, Array.IndexOf(engines, engine));

        string NameOf(DurableResult r) => results.Any(other => other.Distribution != r.Distribution)
            ? $"{r.Asked} {r.Distribution}"
            : r.Asked;
    }

    private static IEnumerable<Bar> BarOf(Series series, IEnumerable<double?> values, int digits)
    {
        double[] known = [.. values.OfType<double>()];
        if (known.Length == 0)
            yield break;
        Spread spread = Spread.Of(known);
        yield return Bar.Of(series, spread, Figures.Text(spread.Median, digits));
    }
}
