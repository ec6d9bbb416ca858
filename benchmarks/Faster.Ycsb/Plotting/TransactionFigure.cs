using Faster.Workload.Experiments.Transactions;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>
/// Transactions by kind and engine: throughput and times, panels for each skew, and the parts of the times where these
/// were measured.
/// </summary>
internal static class TransactionFigure
{
    private const double Microseconds = 1e6;

    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<TransactionCellResult> results)
    {
        string[] names = [.. results.Select(NameOf).Distinct()];
        if (results.Any(r => r.Breakdown is not null))
            return new Figure("Where the time of transactions goes", 2, [.. BreakdownFigure.Panels(results)]);
        IEnumerable<Panel> panels = results.GroupBy(r => r.Theta).SelectMany(skew => (IEnumerable<Panel>)
        [
            results[0].Form is null
                ? Bars("throughput", "millions/s", skew, r => r.OperationsPerSecond * Figures.PerMillion, 2)
                : Bars("durable transactions", "thousands/s", skew, r => r.OperationsPerSecond / 1000, 1),
            Bars("half of them within", "µs", skew, r => r.Latency?.P50 * Microseconds, 2),
            Bars("99 % within", "µs", skew, r => r.Latency?.P99 * Microseconds, 1),
        ]);
        return new Figure("Transactions over several keys", 1, [.. panels]) { PanelWidth = Figure.WidePanel };

        Panel Bars(
            string title, string y, IGrouping<double, TransactionCellResult> skew,
            Func<TransactionCellResult, double?> value, int digits) => new BarPanel(
            $"θ {Figures.Text(skew.Key, 2)}: {title}",
            results[0].Form is null ? "keys, updated, threads" : "keys, updated, outstanding", y,
            [
                .. skew.GroupBy(r => $"{r.Size}, {r.UpdatePercent} %, {r.Outstanding ?? r.Threads}").Select(
                    kind => new BarGroup(
                        kind.Key, [.. kind.GroupBy(NameOf).SelectMany(own => BarOf(own, value, digits))])),
            ]);

        IEnumerable<Bar> BarOf(
            IGrouping<string, TransactionCellResult> own, Func<TransactionCellResult, double?> value, int digits)
        {
            double[] known = [.. own.Select(value).OfType<double>()];
            if (known.Length == 0) yield break;
            Spread spread = Spread.Of(known);
            yield return Bar.Of(
                new Series(own.Key, Array.IndexOf(names, own.Key)), spread, Figures.Text(spread.Median, digits));
        }
    }

    private static string NameOf(TransactionCellResult result) =>
        result.Form is { } form ? $"{result.Engine}, {form.Split(':')[0]}" : result.Engine;
}
