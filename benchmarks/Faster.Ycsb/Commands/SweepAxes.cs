using Faster.Workload;
using Faster.Workload.Cells;

namespace Faster.Ycsb.Commands;

/// <summary>What each axis of a sweep does with a load.</summary>
internal static class SweepAxes
{
    private const int MaxThreads = 256;
    private const int MaxValueBytes = 1 << 20;
    private const int MaxInterval = 1 << 16;
    private const double MaxTheta = 5;

    /// <summary>The axis's name in results.</summary>
    public static string NameOf(SweepAxis axis) => axis switch
    {
        SweepAxis.ValueSize => "value_bytes",
        SweepAxis.Memory => "memory_bytes",
        SweepAxis.Reads => "read_percent",
        SweepAxis.KeysPerBucket => "keys_per_bucket",
        _ => EnumNames.Of(axis),
    };

    /// <summary>What a value of the axis is, for messages.</summary>
    public static string What(SweepAxis axis) => axis switch
    {
        SweepAxis.Threads => $"number of threads from 1 to {MaxThreads}",
        SweepAxis.Theta => $"skew from 0 to {MaxTheta}",
        SweepAxis.ValueSize => $"size of values from {sizeof(long)} to {MaxValueBytes} bytes",
        SweepAxis.Memory => "size of memory, such as 512MB",
        SweepAxis.Interval => $"number of operations from 1 to {MaxInterval}",
        SweepAxis.KeysPerBucket => $"number of keys from 1 to {DriverOptions.MaxKeysPerBucket}",
        _ => "percentage of reads from 0 to 100",
    };

    /// <summary>Whether the axis has such a value.</summary>
    public static bool Allows(SweepAxis axis, double value) => axis switch
    {
        SweepAxis.Threads => value is >= 1 and <= MaxThreads,
        SweepAxis.Theta => value is >= 0 and <= MaxTheta,
        SweepAxis.ValueSize => value is >= sizeof(long) and <= MaxValueBytes,
        SweepAxis.Memory => value > 0,
        SweepAxis.Interval => value is >= 1 and <= MaxInterval,
        SweepAxis.KeysPerBucket => value is >= 1 and <= DriverOptions.MaxKeysPerBucket,
        _ => value is >= 0 and <= 100,
    };

    /// <summary>A load with a value of the axis instead of its own.</summary>
    public static LoadSettings Apply(SweepAxis axis, double value, LoadSettings settings)
    {
        LoadSettings WithCells(Func<CellSettings, CellSettings> change) =>
            settings with { Cells = [.. settings.Cells.Select(change).Distinct()] };
        return axis switch
        {
            SweepAxis.Threads => WithCells(c => c with { Threads = (int)value }),
            SweepAxis.Theta => WithCells(c => c with
            {
                Theta = value,
                Distribution = c.Distribution == KeyDistribution.Uniform ? KeyDistribution.Zipf : c.Distribution,
            }),
            SweepAxis.ValueSize => settings with { ValueBytes = (int)value },
            SweepAxis.Memory => settings with { MemoryBytes = (long)value },
            SweepAxis.Interval => settings with { HotspotInterval = (int)value },
            SweepAxis.KeysPerBucket => settings with { KeysPerBucket = (int)value },
            _ => WithCells(c => c with { Workload = $"{(int)value}:{100 - (int)value}" }),
        };
    }
}
