using Faster.Workload.Experiments.Transactions;

namespace Faster.Ycsb.Reports;

/// <summary>
/// Transactions that are durable when they are acknowledged, in the order of how many are under way at once: throughput
/// as median, least and greatest, and how many times as fast as the best of the engine the first one is with as many.
/// </summary>
internal static class DurableTransactionTable
{
    private const double Thousand = 1000;
    private const string None = "–";

    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyCollection<TransactionCellResult> results)
    {
        string first = results.First().Engine;
        var table = new MarkdownTable(
            names: 4, "transactions", "θ", "engine", "as", "outstanding", "k/s", $"{first} ÷", "p50", "p99");
        foreach (var row in results.GroupBy(r => (r.Workload, r.Theta, r.Outstanding, r.Engine, r.Form))
            .OrderBy(row => (row.Key.Workload, row.Key.Theta, row.Key.Outstanding)))
        {
            double? Median(Func<TransactionCellResult, double?> of) =>
                row.Select(of).OfType<double>().ToArray() is { Length: > 0 } known ? Spread.Of(known).Median : null;
            table.Add(
                row.Key.Workload, Figures.Text(row.Key.Theta, 2), row.Key.Engine, row.Key.Form!,
                Figures.Text(row.Key.Outstanding!.Value, 0),
                Spread.Of(row.Select(r => r.OperationsPerSecond / Thousand)).ToString("F2"),
                RatioOf(results.Where(r => r.Engine == first && (r.Workload, r.Theta, r.Outstanding)
                    == (row.Key.Workload, row.Key.Theta, row.Key.Outstanding)), row),
                Figures.Latency(Median(r => r.Latency?.P50)), Figures.Latency(Median(r => r.Latency?.P99)));
        }

        return table.ToString();
    }

    // Of the first engine, the form that is fastest in a run counts.
    private static string RatioOf(IEnumerable<TransactionCellResult> first, IEnumerable<TransactionCellResult> other)
    {
        var best = first.GroupBy(r => r.Run).ToDictionary(run => run.Key, run => run.Max(r => r.OperationsPerSecond));
        double[] ratios = [.. other.Where(r => best.ContainsKey(r.Run)).Select(
            r => best[r.Run] / r.OperationsPerSecond)];
        return ratios.Length == 0 ? None : Spread.Of(ratios).ToString("F2");
    }
}
