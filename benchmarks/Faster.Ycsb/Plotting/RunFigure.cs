using Faster.Workload.Cells;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>
/// Throughput of engines: bars by workload, with a panel for each way to draw keys and each thread count; of a sweep,
/// lines over what varies, with a panel for each workload (paper 000, Fig. 8 to 11).
/// </summary>
internal static class RunFigure
{
    private const int PanelsInRow = 2;

    /// <summary>The figure.</summary>
    public static Figure Of(IReadOnlyList<RunResult> results)
    {
        string[] engines = [.. results.Select(r => r.Engine).Distinct()];
        Series SeriesOf(string engine) => new(engine, Array.IndexOf(engines, engine));
        bool isSweep = results.All(r => r.Sweep is not null);
        Panel[] panels = isSweep
            ?
            [
                .. results.GroupBy(r => (Workload: MixOf(r), r.Distribution, r.Sweep!.Axis)).Select(p => new LinePanel(
                    $"{p.Key.Workload}, {p.Key.Distribution}", TitleOf(p.Key.Axis), "million operations/s",
                    [.. p.GroupBy(r => r.Engine).Select(e => new Line(SeriesOf(e.Key), PointsOf(e)))], [])),
            ]
            :
            [
                .. results.GroupBy(r => (CellNames.Of(r).Keys, r.Threads)).Select(p => new BarPanel(
                    $"{p.Key.Keys}, {Figures.Threads(p.Key.Threads)}", "workload", "million operations/s",
                    [.. p.GroupBy(r => r.Workload).Select(w => new BarGroup(
                        w.Key, [.. w.GroupBy(r => r.Engine).Select(e => BarOf(SeriesOf(e.Key), e))]))])),
            ];
        RunResult one = results[0];
        string title = FormattableString.Invariant($"Throughput, {one.Keys:N0} keys")
            + (results.All(r => r.ValueBytes == one.ValueBytes) ? $", values of {one.ValueBytes} bytes" : "")
            + (one.MemoryBytes is { } memory && results.All(r => r.MemoryBytes == memory)
                ? $", {Figures.Bytes(memory)} of memory"
                : "");
        return new Figure(title, PanelsInRow, panels);
    }

    private static string TitleOf(string axis) => axis switch
    {
        "value_bytes" => "bytes of each value",
        "memory_bytes" => "memory, MiB",
        "read_percent" => "reads, %",
        "interval" => "operations between two looks at a ring (R)",
        "keys_per_bucket" => "keys for each 8 bytes of the index",
        _ => axis,
    };

    private static string MixOf(RunResult result) =>
        result.Sweep is { Axis: "read_percent" } ? "reads and blind updates" : result.Workload;

    private static (double X, double Y)[] PointsOf(IEnumerable<RunResult> results) =>
        [.. results.GroupBy(r => r.Sweep!).OrderBy(g => g.Key.Value).Select(g => (
            g.Key.Axis == "memory_bytes" ? g.Key.Value * Figures.PerMebibyte : g.Key.Value, Middle(g).Median))];

    private static Bar BarOf(Series series, IEnumerable<RunResult> results)
    {
        Spread spread = Middle(results);
        string label = Figures.Text(spread.Median, spread.Median < 1 ? 2 : 1);
        return Bar.Of(series, spread, label);
    }

    private static Spread Middle(IEnumerable<RunResult> results) =>
        Spread.Of(results.Select(r => r.OperationsPerSecond * Figures.PerMillion));
}
