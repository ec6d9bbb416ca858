using Faster.Workload.Experiments.Transactions;

namespace Faster.Ycsb.Reports;

/// <summary>Where the time of a transaction goes, in nanoseconds of a thread: medians of the runs.</summary>
internal static class BreakdownTable
{
    private const double Nanoseconds = 1e9;

    /// <summary>Renders measurements that have been divided.</summary>
    public static string Render(IReadOnlyCollection<TransactionCellResult> results)
    {
        var table = new MarkdownTable(
            names: 3, "transactions", "θ", "engine", "threads", "ns", "execution", "tail contention", "log write",
            "abort");
        foreach (var row in results.GroupBy(r => (r.Workload, r.Theta, r.Threads, r.Engine)))
        {
            string Text(Func<TransactionBreakdown, double> part) =>
                Figures.Text(Spread.Of(row.Select(r => part(r.Breakdown!))).Median * Nanoseconds, 1);
            table.Add(
                row.Key.Workload, Figures.Text(row.Key.Theta, 2), row.Key.Engine, Figures.Text(row.Key.Threads, 0),
                Text(b => b.Total), Text(b => b.Execution), Text(b => b.Tail), Text(b => b.Log), Text(b => b.Abort));
        }

        return table.ToString();
    }
}
