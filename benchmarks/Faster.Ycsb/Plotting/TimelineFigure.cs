using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>
/// Throughput over time, and below it the length of the log if there is one (paper 004, Fig. 8 to 10). There is a pair
/// of panels for each mix or, where there is only one mix, for each distribution; the lines are kinds, keys, engines
/// and thread counts, as far as they differ. Where one line is drawn, its commits are shaded.
/// </summary>
internal static class TimelineFigure
{
    private const string Dashed = "zipf";
    private const int PanelsInRow = 2;

    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<TimelineResult> results)
    {
        bool byMix = results.Select(r => r.Workload).Distinct().Count() > 1;
        var columns = results.GroupBy(r => byMix ? r.Workload : r.Distribution).ToArray();
        string[] colours = [.. results.Select(r => NameOf(r, results, withKeys: false)).Distinct()];
        IEnumerable<Panel> panels = columns.Chunk(PanelsInRow).SelectMany(row => (IEnumerable<Panel>)
        [
            .. row.Select(c => Plot(
                $"{c.Key}: throughput", "million operations/s", c, r => r.BinPerSecond, Figures.PerMillion)),
            .. row.Where(c => c.Any(r => r.LogBytes.Any(bytes => bytes > 0))).Select(c => Plot(
                $"{c.Key}: log", "MiB", c, r => r.LogBytes.Select(b => (double)b), Figures.PerMebibyte)),
        ]);
        return new Figure(TitleOf(results, byMix), Math.Min(columns.Length, PanelsInRow), [.. panels]);

        LinePanel Plot(
            string title, string yTitle, IEnumerable<TimelineResult> drawn,
            Func<TimelineResult, IEnumerable<double>> values, double unit)
        {
            TimelineResult[] all = [.. drawn];
            Line[] lines = [.. all.Select(r => new Line(
                SeriesOf(r), [.. r.Seconds.Zip(values(r), (x, y) => (x, y * unit))]))];
            // Shades of several lines would hide each other; they are narrowed to the starts, which all lines share.
            IEnumerable<Band> bands = all[0].Commits.Select(commit => new Band(
                SeriesOf(all[0]), commit.StartSeconds, all.Length == 1 ? commit.EndSeconds : commit.StartSeconds));
            return new LinePanel(title, "seconds", yTitle, lines, [.. bands]);
        }

        Series SeriesOf(TimelineResult result)
        {
            int colour = Array.IndexOf(colours, NameOf(result, results, withKeys: false));
            bool isDashed = byMix && result.Distribution == Dashed && results.Any(r => r.Distribution != Dashed);
            return new Series(NameOf(result, results, withKeys: byMix), colour, isDashed);
        }
    }

    private static string NameOf(TimelineResult result, IReadOnlyList<TimelineResult> all, bool withKeys)
    {
        var parts = new List<string>();
        void AddIfVaried(Func<TimelineResult, string> part)
        {
            if (all.Select(part).Distinct().Count() > 1)
                parts.Add(part(result));
        }

        AddIfVaried(r => r.Engine);
        AddIfVaried(r => r.Kind);
        if (withKeys)
            AddIfVaried(r => r.Distribution);
        AddIfVaried(r => Figures.Threads(r.Threads));
        return parts.Count == 0 ? result.Kind : string.Join(", ", parts);
    }

    private static string TitleOf(IReadOnlyList<TimelineResult> results, bool byMix)
    {
        string One(Func<TimelineResult, string> part) =>
            results.Select(part).Distinct().ToArray() is [var only] ? $", {only}" : "";
        return "Throughput around full commits" + (byMix ? "" : One(r => r.Workload)) + One(r => r.Kind)
            + (byMix ? One(r => r.Distribution) : "") + One(r => Figures.Threads(r.Threads))
            + One(r => FormattableString.Invariant($"{r.Keys:N0} keys"));
    }
}
