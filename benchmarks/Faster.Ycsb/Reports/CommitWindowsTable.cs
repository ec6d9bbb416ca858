using Faster.Workload.Experiments;
using Faster.Workload.Experiments.Transactions;

namespace Faster.Ycsb.Reports;

/// <summary>
/// Commits while transactions run, a row for each kind and engine: the throughput of the worst 50 ms as a share of the
/// throughput without a commit, with a commit and without one, all runs together.
/// </summary>
internal static class CommitWindowsTable
{
    private const double Thousand = 1000;

    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyCollection<CommitWindowsResult> results)
    {
        var table = new MarkdownTable(
            names: 3, "transactions", "θ", "engine", "threads", "k/s without", "commits", "commit, s",
            "worst 50 ms with, %", "least", "worst 50 ms without, %", "least");
        foreach (var row in results.GroupBy(r => (r.Workload, r.Theta, r.Threads, r.Engine)))
        {
            CommitWindow[] all = [.. row.SelectMany(r => r.Windows)];
            double[] with = [.. all.Select(WithCommit)], without = [.. all.Select(WithoutCommit)];
            table.Add(
                row.Key.Workload, Figures.Text(row.Key.Theta, 2), row.Key.Engine, Figures.Text(row.Key.Threads, 0),
                Figures.Text(MedianInterval.Of(all.Select(w => w.PerSecond)).Median / Thousand, 1),
                Figures.Text(all.Length, 0), Figures.Text(MedianInterval.Of(all.Select(w => w.Seconds)).Median, 2),
                Text(with), Figures.Text(with.Min(), 0), Text(without), Figures.Text(without.Min(), 0));
        }

        return table.ToString();
    }

    /// <summary>The worst 50 ms with a commit, in percent of the throughput without.</summary>
    public static double WithCommit(CommitWindow window) => 100 * window.WorstWith / window.PerSecond;

    /// <summary>The worst 50 ms without one, in percent of the throughput.</summary>
    public static double WithoutCommit(CommitWindow window) => 100 * window.WorstWithout / window.PerSecond;

    private static string Text(double[] shares)
    {
        var interval = MedianInterval.Of(shares);
        string ends = $"{Figures.Text(interval.Low, 0)}–{Figures.Text(interval.High, 0)}";
        return $"{Figures.Text(interval.Median, 0)} ({ends})";
    }
}
