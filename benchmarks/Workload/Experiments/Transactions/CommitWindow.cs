namespace Faster.Workload.Experiments.Transactions;

/// <summary>A commit, and a time as long as it after it, in which none ran.</summary>
/// <param name="Seconds">How long the commit took.</param>
/// <param name="PerSecond">The throughput without a commit.</param>
/// <param name="WorstWith">
/// The lowest throughput over 50 ms from the commit's begin until half a second after its end.
/// </param>
/// <param name="WorstWithout">The same without a commit.</param>
internal sealed record CommitWindow(double Seconds, double PerSecond, double WorstWith, double WorstWithout)
{
    /// <summary>How long the effects of a commit last after it, in seconds.</summary>
    public const double After = 0.5;

    /// <summary>Looks at a run.</summary>
    /// <param name="timeline">The run.</param>
    /// <param name="commit">When the commit ran.</param>
    /// <param name="quiet">When the time without one began.</param>
    public static CommitWindow Of(Timeline timeline, CommitSpan commit, double quiet)
    {
        double length = commit.EndSeconds - commit.StartSeconds + After;
        double Worst(double from) => timeline.Worst(from, from + length, CommitStep.WorstWindow);
        return new CommitWindow(
            commit.EndSeconds - commit.StartSeconds, timeline.Rate(quiet, quiet + length),
            Worst(commit.StartSeconds), Worst(quiet));
    }
}

/// <summary>
/// Many commits while transactions ran. <see cref="StepResult.OperationsPerSecond"/> is the mean of the times without
/// one.
/// </summary>
internal sealed record CommitWindowsResult : StepResult
{
    /// <summary>The skew of the keys.</summary>
    public required double Theta { get; init; }

    /// <summary>The commits.</summary>
    public required IReadOnlyList<CommitWindow> Windows { get; init; }
}
