namespace Faster.Workload.Experiments;

/// <summary>
/// The throughput of an engine in short slices of time, in turns with others in one process, and beside its yardstick.
/// </summary>
internal sealed record SliceResult : StepResult
{
    /// <summary>The engine that it is compared with.</summary>
    public required string Yardstick { get; init; }

    /// <summary>How many slices were measured.</summary>
    public required int Slices { get; init; }

    /// <summary>The median over all rounds of its throughput ÷ that of the yardstick in the same round.</summary>
    public required double Ratio { get; init; }

    /// <summary>The ratio that nine rounds of ten exceed.</summary>
    public required double RatioP10 { get; init; }

    /// <summary>The ratio that one round of ten exceeds.</summary>
    public required double RatioP90 { get; init; }
}
