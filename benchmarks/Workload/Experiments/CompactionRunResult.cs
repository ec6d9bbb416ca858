namespace Faster.Workload.Experiments;

/// <summary>
/// What it took to compact a part of a log at rest. <see cref="StepResult.OperationsPerSecond"/> counts the records of
/// that part.
/// </summary>
internal sealed record CompactionRunResult : StepResult
{
    /// <summary>The size of each value.</summary>
    public required int ValueBytes { get; init; }

    /// <summary>The memory of the store.</summary>
    public required long MemoryBytes { get; init; }

    /// <summary>How live records were found.</summary>
    public required string Method { get; init; }

    /// <summary>The bytes of the part that was compacted.</summary>
    public required long CompactedBytes { get; init; }

    /// <summary>The bytes that the log was longer after it, the compacted part not counted.</summary>
    public required long CopiedBytes { get; init; }

    /// <summary>The time.</summary>
    public required double Seconds { get; init; }

    /// <summary>
    /// By how much the process's resident memory rose above what it was before; null where the system does not tell.
    /// </summary>
    public long? PeakBytes { get; init; }

    /// <summary>The bytes that were read from storage; null where the system does not tell.</summary>
    public long? BytesRead { get; init; }

    /// <summary>The bytes that were written; null where the system does not tell.</summary>
    public long? BytesWritten { get; init; }
}
