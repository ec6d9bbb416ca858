using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>The end-to-end experiment, a row for each buffer size and distribution.</summary>
internal static class BufferTable
{
    /// <summary>Renders measurements.</summary>
    public static string Render(IEnumerable<BufferResult> results)
    {
        var table = new MarkdownTable(
            names: 3, "buffer", "keys", "clients", "M/s", "commits", "interval", "time of a commit",
            "standing still, %");
        foreach (BufferResult r in results)
        {
            table.Add(
                Figures.Bytes(r.BufferBytes), r.Distribution, $"{r.Threads}",
                Figures.Text(r.OperationsPerSecond * Figures.PerMillion, 2), $"{r.Commits}",
                Figures.Time(r.IntervalSeconds), Figures.Time(r.CommitSeconds),
                Figures.Text(100 * r.BlockedFraction, 0));
        }

        return table.ToString();
    }
}
