using Faster.Workload.Cells;

namespace Faster.Ycsb.Reports;

/// <summary>
/// What the throughput cost, a row for each cell and engine: times of calls, memory, input and output.
/// </summary>
internal static class CostTable
{
    private const string None = "–";

    /// <summary>Renders measurements; where there are several of a cell, the one of the median throughput.</summary>
    public static string Render(IReadOnlyCollection<RunResult> results)
    {
        var table = new MarkdownTable(
            names: 4, "workload", "keys", "threads", "engine", "p50", "p99", "p99.9", "bytes a record",
            "resident bytes a record", "read, bytes/op", "write amplification", "load, s", "load write amplification");
        foreach (var cell in results.GroupBy(r => (CellNames.Of(r), r.Engine)))
        {
            RunResult[] sorted = [.. cell.OrderBy(r => r.OperationsPerSecond)];
            RunResult middle = sorted[sorted.Length / 2];
            (CellNames names, string engine) = cell.Key;
            table.Add(
                names.Workload, names.Keys, names.Threads, engine,
                Figures.Latency(middle.Latency?.P50), Figures.Latency(middle.Latency?.P99),
                Figures.Latency(middle.Latency?.P999),
                Number(middle.StoreBytesPerRecord, 1), Number(middle.ResidentBytesPerRecord, 1),
                Number(middle.IO?.ReadPerOperation, 0), Number(middle.IO?.WriteAmplification, 2),
                Number(middle.LoadSeconds, 1), Number(middle.LoadWriteAmplification, 2));
        }

        return table.ToString();
    }

    private static string Number(double? value, int digits) =>
        value is { } given ? Figures.Text(given, digits) : None;
}
