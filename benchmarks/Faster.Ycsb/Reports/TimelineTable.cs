using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>
/// Timelines, a row for each: throughput outside and inside of commits, their time, the log at the end.
/// </summary>
internal static class TimelineTable
{
    /// <summary>Renders measurements.</summary>
    public static string Render(IEnumerable<TimelineResult> results)
    {
        var table = new MarkdownTable(
            names: 5, "mix", "keys", "threads", "kind", "engine", "before, M/s", "in commits, M/s",
            "worst 50 ms ÷ before", "after, M/s", "commits, s", "log, MiB");
        foreach (TimelineResult r in results)
        {
            table.Add(
                r.Workload, r.Distribution, $"{r.Threads}", r.Kind, r.Engine,
                Mean(r, t => r.Commits.Count == 0 || t <= r.Commits[0].StartSeconds),
                Mean(r, t => InCommit(r, t)),
                string.Join(", ", r.Commits.Select(c => Figures.Text(c.WorstPerSecond / c.BeforePerSecond, 2))),
                Mean(r, t => r.Commits.Count > 0 && t > r.Commits[^1].EndSeconds),
                string.Join(", ", r.Commits.Select(c => Figures.Text(c.EndSeconds - c.StartSeconds, 2))),
                Figures.Text(r.LogBytes[^1] * Figures.PerMebibyte, 0));
        }

        return table.ToString();
    }

    private static bool InCommit(TimelineResult result, double time) =>
        result.Commits.Any(c => time > c.StartSeconds && time <= c.EndSeconds);

    private static string Mean(TimelineResult result, Func<double, bool> isMeant)
    {
        double[] bins = [.. result.BinPerSecond.Where((_, i) => isMeant(result.Seconds[i]))];
        return bins.Length == 0 ? "–" : Figures.Text(bins.Average() * Figures.PerMillion, 1);
    }
}
