using Faster.Workload.Cells;
using Faster.Workload.Experiments;

namespace Faster.Workload.Writes;

/// <summary>Writes that were acknowledged as durable, of one engine in one form.</summary>
internal sealed record DurableResult : StepResult
{
    /// <summary>How writes waited: a <see cref="WriteShape"/>, as it is written.</summary>
    public required string Form { get; init; }

    /// <summary>
    /// The form in whose row it stands: another one of as many outstanding writes where the engine lacks that one.
    /// </summary>
    public string Asked { get; init; } = "";

    /// <summary>How many writes were under way at once.</summary>
    public required int Outstanding { get; init; }

    /// <summary>From the begin of a write, or of a batch, until it was acknowledged.</summary>
    public LatencyResult? Latency { get; init; }

    /// <summary>How many syncs the engine made in a second; null where it does not tell.</summary>
    public double? SyncsPerSecond { get; init; }

    /// <summary>How many writes each sync made durable.</summary>
    public double? RecordsPerSync { get; init; }

    /// <summary>From the end of a sync to the begin of the next, on average; null where nobody tells.</summary>
    public double? SyncGapSeconds { get; init; }

    /// <summary>
    /// How often a cache of the device below the folder was flushed in a second, by all processes; null where the
    /// system does not tell.
    /// </summary>
    public double? DeviceFlushesPerSecond { get; init; }

    /// <summary>What the process wrote for each byte of keys and values.</summary>
    public double? WriteAmplification { get; init; }

    /// <summary>What was written to the device for each such byte, by all processes.</summary>
    public double? DeviceWriteAmplification { get; init; }

    /// <summary>The lowest throughput over any second.</summary>
    public required double WorstPerSecond { get; init; }

    /// <summary>How many values were checked afterwards.</summary>
    public required long Checked { get; init; }

    /// <summary>The ends of the bins, in seconds.</summary>
    public required IReadOnlyList<double> Seconds { get; init; }

    /// <summary>The throughput in each bin.</summary>
    public required IReadOnlyList<double> BinPerSecond { get; init; }
}
