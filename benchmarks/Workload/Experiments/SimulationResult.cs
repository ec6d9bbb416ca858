namespace Faster.Workload.Experiments;

/// <summary>
/// How often a cache had what was asked for: <see cref="StepResult.Engine"/> is its rule, and nothing was timed.
/// </summary>
internal sealed record SimulationResult : StepResult
{
    /// <summary>How many keys the cache holds.</summary>
    public required int CacheKeys { get; init; }

    /// <summary>How many accesses were counted.</summary>
    public required int Accesses { get; init; }

    /// <summary>The part of them that found their key, from 0 to 1.</summary>
    public required double HitRate { get; init; }
}
