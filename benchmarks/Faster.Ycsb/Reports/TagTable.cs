using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>Throughput by the bits of tags: medians, and how they compare with the widest.</summary>
internal static class TagTable
{
    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyList<TagResult> results)
    {
        var table = new MarkdownTable(names: 1, ["keys", "bits of a tag", "M/s", "of the widest, %"]);
        foreach (var stream in results.GroupBy(r => r.Distribution))
        {
            var medians = stream.GroupBy(r => r.TagBits).OrderBy(g => g.Key)
                .Select(g => (Bits: g.Key, Rate: Spread.Of(g.Select(r => r.OperationsPerSecond)).Median)).ToArray();
            foreach ((int bits, double rate) in medians)
            {
                table.Add(
                [
                    stream.Key, Figures.Text(bits, 0), Figures.Text(rate * Figures.PerMillion, 2),
                    Figures.Text(100 * rate / medians[^1].Rate, 0),
                ]);
            }
        }

        return table.ToString();
    }
}
