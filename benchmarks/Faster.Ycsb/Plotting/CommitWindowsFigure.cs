using Faster.Workload.Experiments.Transactions;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>
/// The worst 50 ms of commits beside those of times without one: a panel for each kind, a group for each engine.
/// </summary>
internal static class CommitWindowsFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<CommitWindowsResult> results)
    {
        IEnumerable<Panel> panels = results
            .GroupBy(r => $"θ {Figures.Text(r.Theta, 2)}, {r.Workload}, {Figures.Threads(r.Threads)}")
            .Select(kind => new BarPanel(
                kind.Key, "engine", "% of the throughput",
                [
                    .. kind.GroupBy(r => r.Engine).Select(own => new BarGroup(
                        own.Key,
                        [
                            BarOf("with a commit", 0, own, CommitWindowsTable.WithCommit),
                            BarOf("without", 1, own, CommitWindowsTable.WithoutCommit),
                        ])),
                ]));
        return new Figure("The worst 50 ms around commits: median, least and greatest", 2, [.. panels]);
    }

    private static Bar BarOf(
        string name, int colour, IEnumerable<CommitWindowsResult> row, Func<CommitWindow, double> share)
    {
        var spread = Spread.Of(row.SelectMany(r => r.Windows).Select(share));
        return Bar.Of(new Series(name, colour), spread, Figures.Text(spread.Median, 0));
    }
}
