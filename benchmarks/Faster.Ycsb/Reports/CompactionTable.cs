using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>What compactions take: a row for each engine, method and number of threads.</summary>
internal static class CompactionTable
{
    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyList<CompactionRunResult> results)
    {
        var table = new MarkdownTable(names: 2,
        [
            "engine", "method", "threads", "compacted, MiB", "seconds", "MiB/s", "copied, MiB",
            "peak memory above, MiB", "read, MiB", "written, MiB",
        ]);
        foreach (var row in results.GroupBy(NameOf))
        {
            CompactionRunResult first = row.First();
            Spread seconds = Spread.Of(row.Select(r => r.Seconds));
            double compacted = first.CompactedBytes * Figures.PerMebibyte;
            table.Add(
            [
                first.Engine, first.Method, Figures.Text(first.Threads, 0), Figures.Text(compacted, 0),
                seconds.ToString("F2"), Figures.Text(compacted / seconds.Median, 0),
                Median(row, r => r.CopiedBytes), Median(row, r => r.PeakBytes), Median(row, r => r.BytesRead),
                Median(row, r => r.BytesWritten),
            ]);
        }

        return table.ToString();
    }

    /// <summary>What distinguishes a row: the engine, how it compacts, and by how many threads.</summary>
    public static string NameOf(CompactionRunResult result) =>
        $"{result.Engine}, {result.Method}, {Figures.Threads(result.Threads)}";

    private static string Median(IEnumerable<CompactionRunResult> row, Func<CompactionRunResult, long?> bytes)
    {
        double[] known = [.. row.Select(bytes).OfType<long>().Select(b => b * Figures.PerMebibyte)];
        return known.Length == 0 ? "–" : Figures.Text(Spread.Of(known).Median, 0);
    }
}
