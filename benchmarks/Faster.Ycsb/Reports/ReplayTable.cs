using Faster.Workload.Writes;

namespace Faster.Ycsb.Reports;

/// <summary>The time to open what was not closed, a row for each length and a column for each engine.</summary>
internal static class ReplayTable
{
    private const string None = "–";

    /// <summary>Renders measurements.</summary>
    public static string Render(IReadOnlyList<ReplayResult> results)
    {
        string[] engines = [.. results.Select(r => r.Engine).Distinct()];
        var table = new MarkdownTable(names: 1, ["acknowledged", .. engines.Select(engine => $"{engine}, s")]);
        foreach (var length in results.GroupBy(r => r.WrittenBytes))
        {
            table.Add(
            [
                Figures.Bytes(length.Key),
                .. engines.Select(engine => length.Where(r => r.Engine == engine).Select(r => r.RecoverySeconds)
                    .ToArray() is { Length: > 0 } seconds ? Spread.Of(seconds).ToString("F3") : None),
            ]);
        }

        return table.ToString();
    }
}
