using Faster.LogCommits;

namespace Faster.Ycsb.Reports;

/// <summary>
/// Commits and recoveries, a row for each kind and engine: median, least and greatest; behind the times of the other
/// engines, how many times as long they take as the first engine's, run by run.
/// </summary>
internal static class CommitTable
{
    private const string None = "–";

    /// <summary>Renders figures.</summary>
    public static string Render(CommitFigures figures)
    {
        var table = new MarkdownTable(
            names: 2, "kind", "engine", "at rest, s", $"under {Figures.Threads(figures.Threads)}, s",
            "MiB written at rest", "before, M/s", "during, M/s", "during, % of before", "worst 50 ms, % of before",
            "recovery, s");
        foreach (string kind in figures.Kinds)
        {
            foreach (string engine in figures.Engines.Where(e => figures.Has(kind, e)))
            {
                string TimeCell(Func<string, string, IEnumerable<double>> of) =>
                    Cell(of(kind, engine), "F2") + Ratio(of(kind, figures.Engines[0]), of(kind, engine));
                table.Add(
                    kind, engine,
                    TimeCell(figures.AtRest),
                    TimeCell(figures.UnderLoad),
                    Cell(figures.BytesAtRest(kind, engine).Select(b => b * Figures.PerMebibyte), "F0"),
                    Cell(figures.Before(kind, engine).Select(o => o * Figures.PerMillion), "F1"),
                    Cell(figures.During(kind, engine).Select(o => o * Figures.PerMillion), "F1"),
                    Cell(figures.DuringPercent(kind, engine), "F0"),
                    Cell(figures.WorstPercent(kind, engine), "F0"),
                    TimeCell(figures.Recovery));
            }
        }

        return table.ToString();
    }

    private static string Cell(IEnumerable<double> values, string format)
    {
        double[] all = [.. values];
        return all.Length == 0 ? None : Spread.Of(all).ToString(format);
    }

    private static string Ratio(IEnumerable<double> first, IEnumerable<double> other)
    {
        double[] ours = [.. first];
        double[] theirs = [.. other];
        if (ours.Length == 0 || theirs.Length == 0 || ours.SequenceEqual(theirs)) return "";
        Spread ratio = ours.Length == theirs.Length
            ? Spread.Of(theirs.Zip(ours, (their, our) => their / our)) // run by run: the engines took turns
            : Spread.Of([Spread.Of(theirs).Median / Spread.Of(ours).Median]);
        return $", {ratio.ToString("F1")}×";
    }
}
