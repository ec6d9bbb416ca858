namespace Faster.Workload.Experiments;

/// <summary>Clients that keep what is not durable yet in a buffer of limited size.</summary>
internal sealed record BufferResult : StepResult
{
    /// <summary>The size of each client's buffer.</summary>
    public required int BufferBytes { get; init; }

    /// <summary>How many commits became durable.</summary>
    public required int Commits { get; init; }

    /// <summary>The mean time from one durable commit to the next.</summary>
    public required double IntervalSeconds { get; init; }

    /// <summary>The mean time that a commit took.</summary>
    public required double CommitSeconds { get; init; }

    /// <summary>The part of the time that clients stood still before a full buffer, from 0 to 1.</summary>
    public required double BlockedFraction { get; init; }
}
