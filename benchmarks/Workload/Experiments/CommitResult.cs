namespace Faster.Workload.Experiments;

/// <summary>
/// One full commit, of log and index. <see cref="StepResult.OperationsPerSecond"/> is the throughput while it ran.
/// </summary>
internal sealed record CommitResult : StepResult
{
    /// <summary>How it captured the log.</summary>
    public required string Kind { get; init; }

    /// <summary>The time until it was durable.</summary>
    public required double CommitSeconds { get; init; }

    /// <summary>The time of the whole commit before an incremental one.</summary>
    public double? BaseSeconds { get; init; }

    /// <summary>The bytes that the process wrote meanwhile; null where the system does not tell.</summary>
    public long? BytesWritten { get; init; }

    /// <summary>The throughput before it; null at rest, as all that follows.</summary>
    public double? BeforePerSecond { get; init; }

    /// <summary>The lowest throughput over any 50 ms of it.</summary>
    public double? WorstPerSecond { get; init; }

    /// <summary>The longest time that the sampler was late meanwhile: no shorter stop would have been seen.</summary>
    public double? LongestGapSeconds { get; init; }
}
