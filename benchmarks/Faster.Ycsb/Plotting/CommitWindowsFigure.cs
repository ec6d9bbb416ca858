using Faster.Workload.Experiments.Transactions;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>The worst 50 ms of commits beside those of times without one, a group for each kind and engine.</summary>
internal static class CommitWindowsFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<CommitWindowsResult> results)
    {
        var panel = new BarPanel(
            "worst 50 ms: median, least and greatest", "engine, θ, threads, transactions", "% of the throughput",
            [
                .. results.GroupBy(NameOf).Select(row => new BarGroup(
                    row.Key,
                    [
                        BarOf("with a commit", 0, row, CommitWindowsTable.WithCommit),
                        BarOf("without", 1, row, CommitWindowsTable.WithoutCommit),
                    ])),
            ]);
        return new Figure("Transactions around commits", 1, [panel]) { PanelWidth = Figure.WidePanel };
    }

    private static string NameOf(CommitWindowsResult result) =>
        $"{result.Engine}, {Figures.Text(result.Theta, 2)}, {result.Threads}, {result.Workload}";

    private static Bar BarOf(
        string name, int colour, IEnumerable<CommitWindowsResult> row, Func<CommitWindow, double> share)
    {
        var spread = Spread.Of(row.SelectMany(r => r.Windows).Select(share));
        return Bar.Of(new Series(name, colour), spread, Figures.Text(spread.Median, 0));
    }
}
