namespace Faster.Workload.Experiments;

/// <summary>
/// A run with full commits in it. <see cref="StepResult.OperationsPerSecond"/> is its mean throughput.
/// </summary>
internal sealed record TimelineResult : StepResult
{
    /// <summary>How the commits captured the log.</summary>
    public required string Kind { get; init; }

    /// <summary>The commits.</summary>
    public required IReadOnlyList<CommitSpan> Commits { get; init; }

    /// <summary>The ends of the bins, in seconds.</summary>
    public required IReadOnlyList<double> Seconds { get; init; }

    /// <summary>The throughput in each bin.</summary>
    public required IReadOnlyList<double> BinPerSecond { get; init; }

    /// <summary>The length of the log at the end of each bin.</summary>
    public required IReadOnlyList<long> LogBytes { get; init; }
}

/// <summary>When a commit ran.</summary>
/// <param name="StartSeconds">When it was asked for.</param>
/// <param name="EndSeconds">When it was durable.</param>
internal sealed record CommitSpan(double StartSeconds, double EndSeconds)
{
    /// <summary>The throughput in the second before it.</summary>
    public double BeforePerSecond { get; init; }

    /// <summary>The lowest throughput over 50 milliseconds, from its start to half a second after its end.</summary>
    public double WorstPerSecond { get; init; }
}
