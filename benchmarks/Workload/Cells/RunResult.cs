using System.Diagnostics;
using Faster.Workload.Experiments;

namespace Faster.Workload.Cells;

/// <summary>The throughput of one engine in one cell, and what it cost.</summary>
internal sealed record RunResult : StepResult
{
    /// <summary>The skew of the keys, where the distribution has one.</summary>
    public double? Theta { get; init; }

    /// <summary>What a sweep varies, and the value that it has here; null outside of sweeps.</summary>
    public SweepPoint? Sweep { get; init; }

    /// <summary>The size of each value.</summary>
    public required int ValueBytes { get; init; }

    /// <summary>The memory that the store was given, in bytes; null for as much as everything needs.</summary>
    public long? MemoryBytes { get; init; }

    /// <summary>The limit of memory under which the process ran; null for none.</summary>
    public long? LimitBytes { get; init; }

    /// <summary>
    /// How many keys each 8 bytes of an index of fixed size are for; null for an index of the engine's own size.
    /// </summary>
    public int? KeysPerBucket { get; init; }

    /// <summary>The space that the store was given on disk, in bytes; null for no limit.</summary>
    public long? DiskBudgetBytes { get; init; }

    /// <summary>The time that loading took.</summary>
    public required double LoadSeconds { get; init; }

    /// <summary>By how much the process grew by loading, for each record.</summary>
    public double? ResidentBytesPerRecord { get; init; }

    /// <summary>What the engine says that it uses for records and index after the load, for each record.</summary>
    public double? StoreBytesPerRecord { get; init; }

    /// <summary>The times of sampled calls; null where no call was sampled.</summary>
    public LatencyResult? Latency { get; init; }

    /// <summary>Input and output while the cell was measured; null where the system does not tell.</summary>
    public IOResult? IO { get; init; }

    /// <summary>Bytes written while loading, for each byte of the records.</summary>
    public double? LoadWriteAmplification { get; init; }

    /// <summary>How many values were checked afterwards.</summary>
    public required long Checked { get; init; }
}

/// <summary>A place on the axis of a sweep.</summary>
/// <param name="Axis">What varies.</param>
/// <param name="Value">Its value.</param>
internal sealed record SweepPoint(string Axis, double Value);

/// <summary>The times of calls, in seconds.</summary>
/// <param name="Samples">How many were taken.</param>
/// <param name="Operations">How many operations each call took.</param>
/// <param name="P50">The median.</param>
/// <param name="P90">Nine in ten were shorter.</param>
/// <param name="P99">All but one in a hundred were shorter.</param>
/// <param name="P999">All but one in a thousand were shorter.</param>
/// <param name="Max">The longest.</param>
internal sealed record LatencyResult(
    long Samples, int Operations, double P50, double P90, double P99, double P999, double Max)
{
    /// <summary>The times that were recorded; null if there was none.</summary>
    public static LatencyResult? Of(LatencyHistogram times, int operations)
    {
        double Seconds(double part) => (double)times.Percentile(part) / Stopwatch.Frequency;
        return times.Count == 0
            ? null
            : new LatencyResult(
                times.Count, operations, Seconds(0.5), Seconds(0.9), Seconds(0.99), Seconds(0.999), Seconds(1));
    }
}

/// <summary>Input and output, in bytes.</summary>
/// <param name="ProcessRead">What the process had read from storage.</param>
/// <param name="ProcessWritten">What the process had written to storage, or made dirty in the page cache.</param>
/// <param name="DeviceRead">The bytes read from the device below the data folder, by all processes.</param>
/// <param name="DeviceWritten">The bytes written to it, by all processes.</param>
/// <param name="ReadPerOperation">What the process read for each operation.</param>
/// <param name="WriteAmplification">What it wrote for each byte of a record that was updated.</param>
internal sealed record IOResult(
    long ProcessRead, long ProcessWritten, long? DeviceRead, long? DeviceWritten, double ReadPerOperation,
    double? WriteAmplification);
