using Faster.Workload.Experiments;

namespace Faster.Workload.Writes;

/// <summary>
/// Reads of one thread beside awaited writes of another that keep to a pace, of an engine and of a yardstick in turns.
/// <see cref="StepResult.OperationsPerSecond"/> counts the engine's reads, a median.
/// </summary>
internal sealed record PacedResult : StepResult
{
    /// <summary>The engine that it is compared with.</summary>
    public required string Yardstick { get; init; }

    /// <summary>The yardstick's reads, a median.</summary>
    public required double YardstickPerSecond { get; init; }

    /// <summary>The pace of both: the writes of a second.</summary>
    public required double WritesPerSecond { get; init; }

    /// <summary>The part of the operations that was to write, in percent.</summary>
    public required int AskedPercent { get; init; }

    /// <summary>The part that wrote, in percent: less where the engine acknowledges no more.</summary>
    public required double WrittenPercent { get; init; }

    /// <summary>The median of the rounds' ratios of reads.</summary>
    public required double Ratio { get; init; }

    /// <summary>A tenth of the rounds had less.</summary>
    public required double RatioP10 { get; init; }

    /// <summary>A tenth of the rounds had more.</summary>
    public required double RatioP90 { get; init; }

    /// <summary>How many rounds there were.</summary>
    public required int Rounds { get; init; }
}
