using System.Globalization;
using Faster.Workload.Cells;

namespace Faster.Ycsb.Reports;

/// <summary>What a cell is called in tables and plots: equal for measurements that can be compared.</summary>
/// <param name="Workload">The workload.</param>
/// <param name="Keys">The distribution, the skew where it is not the usual one, and in a sweep the axis.</param>
/// <param name="Threads">The threads.</param>
internal sealed record CellNames(string Workload, string Keys, string Threads)
{
    private const double UsualTheta = 0.99;

    /// <summary>The names of a measurement's cell.</summary>
    public static CellNames Of(RunResult result)
    {
        string skew = result.Theta is { } theta && theta != UsualTheta
            ? string.Create(CultureInfo.InvariantCulture, $" {theta}")
            : "";
        string point = result.Sweep is { Axis: "value_bytes" or "memory_bytes" } sweep
            ? $", {(sweep.Axis == "value_bytes" ? "values" : "memory")} of {Figures.Bytes(sweep.Value)}"
            : "";
        return new CellNames(
            result.Workload, $"{result.Distribution}{skew}{point}",
            result.Threads.ToString(CultureInfo.InvariantCulture));
    }
}
