namespace Faster.Workload.Experiments;

/// <summary>How long commits of a few records take on a store at rest, or the disk's own writes.</summary>
internal sealed record SmallCommitResult : StepResult
{
    /// <summary>The records written before each commit; 0: a write and a sync of the disk alone.</summary>
    public required int Records { get; init; }

    /// <summary>The number of commits.</summary>
    public required int Commits { get; init; }

    /// <summary>The median in seconds.</summary>
    public required double P50 { get; init; }

    /// <summary>The 90th percentile in seconds.</summary>
    public required double P90 { get; init; }

    /// <summary>The 99th percentile in seconds.</summary>
    public required double P99 { get; init; }
}
