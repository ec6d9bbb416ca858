using Faster.Workload.Writes;

namespace Faster.Ycsb.Reports;

/// <summary>Reads beside paced writes, a row for each pace.</summary>
internal static class PacedTable
{
    private const double Thousand = 1000;

    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyList<PacedResult> results)
    {
        var table = new MarkdownTable(
            names: 3, "keys", "engine", "beside", "writes asked, %", "writes, %", "writes, k/s", "reads, M/s",
            "reads beside, M/s", "ratio", "p10–p90", "rounds");
        foreach (PacedResult r in results)
        {
            table.Add(
                r.Distribution, r.Engine, r.Yardstick, Figures.Text(r.AskedPercent, 0),
                Figures.Text(r.WrittenPercent, 1), Figures.Text(r.WritesPerSecond / Thousand, 1),
                Figures.Text(r.OperationsPerSecond * Figures.PerMillion, 2),
                Figures.Text(r.YardstickPerSecond * Figures.PerMillion, 2), Figures.Text(r.Ratio, 3),
                $"{Figures.Text(r.RatioP10, 3)}–{Figures.Text(r.RatioP90, 3)}", Figures.Text(r.Rounds, 0));
        }

        return table.ToString();
    }
}
