using Faster.LogCommits;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>Commits and recoveries as bars, by kind and engine.</summary>
internal static class CommitFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(CommitFigures figures, int keys)
    {
        Panel PanelOf(
            string title, string yTitle, Func<string, string, IEnumerable<double>> of, Func<double, string> label) =>
            new BarPanel(title, "kind of commit", yTitle, [.. figures.Kinds.Select(k => Group(figures, k, of, label))]);
        Panel[] panels =
        [
            PanelOf("Commit at rest", "seconds", figures.AtRest, Figures.Time),
            PanelOf($"Commit under {Figures.Threads(figures.Threads)}", "seconds", figures.UnderLoad, Figures.Time),
            PanelOf("Throughput during the commit", "% of before", figures.DuringPercent, Whole),
            PanelOf("Worst 50 ms of the commit", "% of before", figures.WorstPercent, Whole),
            PanelOf("Recovery", "seconds", figures.Recovery, Figures.Time),
            PanelOf("Bytes written at rest", "MiB", (k, e) => Mebibytes(figures.BytesAtRest(k, e)), Whole),
        ];
        return new Figure(
            FormattableString.Invariant($"Full commit and recovery of {keys:N0} pairs of 8 bytes"), 2, panels);
    }

    private static BarGroup Group(
        CommitFigures figures, string kind, Func<string, string, IEnumerable<double>> values,
        Func<double, string> label)
    {
        var bars = new List<Bar>();
        for (int e = 0; e < figures.Engines.Count; e++)
        {
            double[] measured = [.. values(kind, figures.Engines[e])];
            if (measured.Length == 0)
                continue;
            Spread spread = Spread.Of(measured);
            bars.Add(Bar.Of(new Series(figures.Engines[e], e), spread, label(spread.Median)));
        }

        return new BarGroup(kind, bars);
    }

    private static IEnumerable<double> Mebibytes(IEnumerable<double> bytes) =>
        bytes.Select(b => b * Figures.PerMebibyte);

    private static string Whole(double value) => Figures.Text(value, 0);
}
