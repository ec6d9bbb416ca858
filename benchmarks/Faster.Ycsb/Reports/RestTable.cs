using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>Two builds side by side, a row for each workload: medians and their ratio.</summary>
internal static class RestTable
{
    /// <summary>The name of the build that is compared against.</summary>
    public const string Base = "base";

    /// <summary>The name of the build that is compared.</summary>
    public const string Candidate = "candidate";

    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyCollection<RestResult> results)
    {
        var table = new MarkdownTable(
            names: 4, "workload", "keys", "threads", "engine", "base, M/s", "candidate, M/s", "candidate/base",
            "ratios of pairs");
        foreach (var row in results.GroupBy(r => (r.Workload, r.Distribution, r.Threads, r.Engine)))
        {
            double[] of = [.. Rates(row, Base)];
            double[] with = [.. Rates(row, Candidate)];
            table.Add(
                row.Key.Workload, row.Key.Distribution, $"{row.Key.Threads}", row.Key.Engine,
                Spread.Of(of).Times(Figures.PerMillion).ToString("F2"),
                Spread.Of(with).Times(Figures.PerMillion).ToString("F2"),
                Figures.Text(Spread.Of(with).Median / Spread.Of(of).Median, 3),
                Spread.Of(with.Zip(of, (a, b) => a / b)).ToString("F3"));
        }

        return table.ToString();
    }

    private static IEnumerable<double> Rates(IEnumerable<RestResult> results, string build) =>
        results.Where(r => r.Build == build).OrderBy(r => r.Run).Select(r => r.OperationsPerSecond);
}
