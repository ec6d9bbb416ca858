namespace Faster.Workload.Experiments;

/// <summary>
/// One recovery, by a process that had not opened the store before. All values were checked after it.
/// </summary>
internal sealed record RecoveryResult : StepResult
{
    /// <summary>How the commit had captured the log.</summary>
    public required string Kind { get; init; }

    /// <summary>How many threads had worked while it was taken.</summary>
    public required int CommitThreads { get; init; }

    /// <summary>The time until the store answered.</summary>
    public required double RecoverySeconds { get; init; }
}
