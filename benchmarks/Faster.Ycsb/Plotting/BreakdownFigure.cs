using Faster.Workload.Experiments.Transactions;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>The parts of a transaction's time, one on another: a panel for each kind, a bar for each engine.</summary>
internal static class BreakdownFigure
{
    private const double Nanoseconds = 1e9;
    private const string Family = "transactional-";

    private static readonly (string Name, Func<TransactionBreakdown, double> Seconds)[] Parts =
    [
        ("execution", b => b.Execution), ("tail contention", b => b.Tail), ("log write", b => b.Log),
        ("abort", b => b.Abort),
    ];

    /// <summary>The panels.</summary>
    public static IEnumerable<Panel> Panels(IEnumerable<TransactionCellResult> results) => results
        .Where(r => r.Breakdown is not null)
        .GroupBy(r => $"θ {Figures.Text(r.Theta, 2)}, {r.Workload}, {Figures.Threads(r.Threads)}")
        .Select(kind => new BarPanel(
            kind.Key, "engine", "ns of a thread for each transaction",
            [.. kind.GroupBy(r => r.Engine).Select(own => new BarGroup(ShortOf(own.Key), BarsOf(own)))]));

    private static Bar[] BarsOf(IEnumerable<TransactionCellResult> own)
    {
        var bars = new List<Bar>();
        double top = 0;
        for (int i = 0; i < Parts.Length; i++)
        {
            // A difference may come out below 0: nothing is drawn then.
            var spread = Spread.Of(own.Select(r => Parts[i].Seconds(r.Breakdown!)));
            double part = Math.Max(0, spread.Median * Nanoseconds);
            top += part;
            string label = i == Parts.Length - 1 ? Figures.Text(top, 0) : "";
            bars.Add(new Bar(new Series(Parts[i].Name, i), top, top, top, label)
            {
                Bottom = i == 0 ? null : top - part,
            });
        }

        return [.. bars];
    }

    private static string ShortOf(string engine) =>
        engine.StartsWith(Family, StringComparison.Ordinal) ? engine[Family.Length..] : engine;
}
