using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>Time and peak memory of compactions (paper 003, Fig. 10).</summary>
internal static class CompactionFigure
{
    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<CompactionRunResult> results)
    {
        IGrouping<string, CompactionRunResult>[] rows = [.. results.GroupBy(CompactionTable.NameOf)];
        Panel PanelOf(string title, string y, Func<CompactionRunResult, double?> value, Func<double, string> label) =>
            new BarPanel(
                title, "", y, [new BarGroup("", [.. rows.SelectMany((row, i) => BarOf(row, i, value, label))])]);
        string part = Figures.Bytes(results[0].CompactedBytes);
        return new Figure($"Compaction of {part}, about half of it live", 2,
        [
            PanelOf("Time", "seconds", r => r.Seconds, Figures.Time),
            PanelOf("Memory above that of the store", "MiB", r => r.PeakBytes * Figures.PerMebibyte,
                mebibytes => Figures.Text(mebibytes, 0)),
        ]);
    }

    private static IEnumerable<Bar> BarOf(
        IGrouping<string, CompactionRunResult> row, int index, Func<CompactionRunResult, double?> value,
        Func<double, string> label)
    {
        double[] measured = [.. row.Select(value).OfType<double>()];
        if (measured.Length == 0)
            yield break;
        Spread spread = Spread.Of(measured);
        yield return Bar.Of(new Series(row.Key, index), spread, label(spread.Median));
    }
}
