using Faster.Workload.Experiments.Transactions;

namespace Faster.Ycsb.Reports;

/// <summary>
/// Transactions, a row for each kind and engine: throughput as median, least and greatest of the runs, how many times
/// as fast as the engine the first one is, run by run, and the shares of the loop without locks and of CPR; the others
/// are medians.
/// </summary>
internal static class TransactionTable
{
    private const double Thousand = 1000;
    private const string None = "–";

    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyCollection<TransactionCellResult> results)
    {
        string first = results.First().Engine;
        var table = new MarkdownTable(
            names: 3, "transactions", "θ", "engine", "threads", "k/s", $"{first} ÷", "÷ bare", "÷ CPR",
            "conflicts ÷ 1,000", "p50", "p99", "p99.9", "bytes a record");
        foreach (var row in results.GroupBy(r => (r.Workload, r.Theta, r.Threads, r.Engine)))
        {
            double? Median(Func<TransactionCellResult, double?> of) =>
                row.Select(of).OfType<double>().ToArray() is { Length: > 0 } known ? Spread.Of(known).Median : null;
            string Text(Func<TransactionCellResult, double?> of, int digits) =>
                Median(of) is { } median ? Figures.Text(median, digits) : None;
            string Interval(
                Func<TransactionCellResult, double?> low, Func<TransactionCellResult, double?> median,
                Func<TransactionCellResult, double?> high) =>
                Median(median) is null ? None : $"{Text(median, 3)} ({Text(low, 3)}–{Text(high, 3)})";
            string share = Interval(r => r.RatioLow, r => r.Ratio, r => r.RatioHigh);
            string cpr = Interval(r => r.CprRatio?.Low, r => r.CprRatio?.Median, r => r.CprRatio?.High);
            table.Add(
                row.Key.Workload, Figures.Text(row.Key.Theta, 2), row.Key.Engine, Figures.Text(row.Key.Threads, 0),
                Spread.Of(row.Select(r => r.OperationsPerSecond / Thousand)).ToString("F1"),
                RatioOf(results.Where(r => r.Engine == first && (r.Workload, r.Theta, r.Threads)
                    == (row.Key.Workload, row.Key.Theta, row.Key.Threads)), row),
                share, cpr, Text(r => r.ConflictsPerThousand, 2), Figures.Latency(Median(r => r.Latency?.P50)),
                Figures.Latency(Median(r => r.Latency?.P99)), Figures.Latency(Median(r => r.Latency?.P999)),
                Text(r => r.BytesPerRecord, 1));
        }

        return table.ToString();
    }

    private static string RatioOf(IEnumerable<TransactionCellResult> first, IEnumerable<TransactionCellResult> other)
    {
        double[] ratios = [.. first.Join(
            other, r => r.Run, r => r.Run, (ours, theirs) => ours.OperationsPerSecond / theirs.OperationsPerSecond)];
        return ratios.Length == 0 ? None : Spread.Of(ratios).ToString("F2");
    }
}
