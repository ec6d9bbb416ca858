using Faster.Workload.Experiments.Transactions;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>Transactions by kind and engine: throughput and times, a pair of panels for each skew.</summary>
internal static class TransactionFigure
{
    private const double Microseconds = 1e6;

    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<TransactionCellResult> results)
    {
        string[] engines = [.. results.Select(r => r.Engine).Distinct()];
        IEnumerable<Panel> panels = results.GroupBy(r => r.Theta).SelectMany(skew => (IEnumerable<Panel>)
        [
            Bars("throughput", "millions/s", skew, r => r.OperationsPerSecond * Figures.PerMillion, 2),
            Bars("99 % within", "µs", skew, r => r.Latency?.P99 * Microseconds, 1),
        ]);
        return new Figure("Transactions over several keys", 1, [.. panels]) { PanelWidth = Figure.WidePanel };

        Panel Bars(
            string title, string y, IGrouping<double, TransactionCellResult> skew,
            Func<TransactionCellResult, double?> value, int digits) => new BarPanel(
            $"θ {Figures.Text(skew.Key, 2)}: {title}", "keys, updated, threads", y,
            [
                .. skew.GroupBy(r => $"{r.Size}, {r.UpdatePercent} %, {r.Threads}").Select(kind => new BarGroup(
                    kind.Key, [.. kind.GroupBy(r => r.Engine).SelectMany(own => BarOf(own, value, digits))])),
            ]);

        IEnumerable<Bar> BarOf(
            IGrouping<string, TransactionCellResult> own, Func<TransactionCellResult, double?> value, int digits)
        {
            double[] known = [.. own.Select(value).OfType<double>()];
            if (known.Length == 0) yield break;
            Spread spread = Spread.Of(known);
            yield return Bar.Of(
                new Series(own.Key, Array.IndexOf(engines, own.Key)), spread, Figures.Text(spread.Median, digits));
        }
    }
}
