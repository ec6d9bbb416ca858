using Faster.Workload.Cells;

namespace Faster.Ycsb.Reports;

/// <summary>
/// Throughput side by side, a row for each cell and a column for each engine: median, least and greatest; and how many
/// times as fast as each other engine the first one is, run by run.
/// </summary>
internal static class RunTable
{
    private const double Million = 1e6;
    private const string None = "–";

    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyCollection<RunResult> results)
    {
        string[] engines = [.. results.Select(r => r.Engine).Distinct()];
        bool isFast = results.Any(r => r.OperationsPerSecond >= Million);
        double unit = isFast ? Million : Million / 1000;
        string[] header =
        [
            "workload", "keys", "threads", .. engines.Select(e => $"{e}, {(isFast ? "M" : "k")}/s"),
            .. engines.Skip(1).Select(e => $"{engines[0]} ÷ {e}"),
        ];
        var table = new MarkdownTable(names: 3, header);
        foreach (var row in results.GroupBy(CellNames.Of))
        {
            Dictionary<string, RunResult[]> of = row.GroupBy(r => r.Engine).ToDictionary(
                g => g.Key, g => g.OrderBy(r => r.Run).ToArray());
            table.Add(
                [
                    row.Key.Workload, row.Key.Keys, row.Key.Threads,
                    .. engines.Select(e => of.TryGetValue(e, out RunResult[]? r) ? Cell(r, unit) : None),
                    .. engines.Skip(1).Select(e => Ratio(of, engines[0], e)),
                ]);
        }

        return table.ToString();
    }

    private static string Cell(RunResult[] results, double unit) =>
        Spread.Of(results.Select(r => r.OperationsPerSecond / unit)).ToString("F2");

    private static string Ratio(Dictionary<string, RunResult[]> of, string first, string other) =>
        of.TryGetValue(first, out RunResult[]? ours) && of.TryGetValue(other, out RunResult[]? theirs)
            ? Spread.Of(ours.Zip(theirs, (a, b) => a.OperationsPerSecond / b.OperationsPerSecond)).ToString("F2")
            : None;
}
