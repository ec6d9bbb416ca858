using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>What churn under a disk budget takes: a row for each run.</summary>
internal static class ChurnTable
{
    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyList<ChurnResult> results)
    {
        var table = new MarkdownTable(names: 1,
        [
            "keys", "threads", "live, MiB", "disk budget, MiB", "M/s", "most on disk ÷ live", "written ÷ updated",
            "copies an update", "resident, least–most MiB",
        ]);
        foreach (ChurnResult result in results)
        {
            table.Add(
            [
                result.Distribution, Figures.Text(result.Threads, 0),
                Figures.Text(result.LiveBytes * Figures.PerMebibyte, 0),
                Figures.Text(result.DiskBudgetBytes * Figures.PerMebibyte, 0),
                Figures.Text(result.OperationsPerSecond * Figures.PerMillion, 2),
                Figures.Text(result.SpaceAmplification, 2),
                result.WriteAmplification is { } written ? Figures.Text(written, 2) : "–",
                Figures.Text(result.CopiedPerUpdate, 2), Resident(result.ResidentBytes),
            ]);
        }

        return table.ToString();
    }

    private static string Resident(IReadOnlyList<long> bytes) => bytes.Count == 0
        ? "–"
        : $"{Figures.Text(bytes.Min() * Figures.PerMebibyte, 0)}–{Figures.Text(bytes.Max() * Figures.PerMebibyte, 0)}";
}
