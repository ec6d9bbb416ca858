using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>What the machine can do, a row for each measurement.</summary>
internal static class LimitTable
{
    /// <summary>Renders measurements.</summary>
    public static string Render(IEnumerable<LimitResult> results)
    {
        var table = new MarkdownTable(
            names: 3, "measurement", "places", "pages", "bytes", "threads", "under way", "operations", "each", "MB/s");
        foreach (LimitResult r in results)
        {
            table.Add(
                r.Workload, r.Distribution, r.HugePages switch { true => "huge", false => "4 KiB", _ => "–" },
                $"{r.Bytes}", $"{r.Threads}", $"{r.Depth}", Figures.Rate(r.OperationsPerSecond),
                Figures.Latency(Math.Max(r.Threads, r.Depth) / r.OperationsPerSecond),
                Figures.Text(r.OperationsPerSecond * r.Bytes * Figures.PerMillion, 0));
        }

        return table.ToString();
    }
}
