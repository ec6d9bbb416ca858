using Faster.Contracts;
using Faster.Probes;

namespace Faster.Tests.Scheduling;

/// <summary>The options of an exploration.</summary>
internal sealed record ExplorationOptions
{
    private readonly int? _seed;

    /// <summary>The most schedules to run.</summary>
    public int Schedules { get; init; } = 2000;

    public ExplorationStrategy Strategy { get; init; }

    /// <summary>
    /// Two explorations with the same seed choose the same schedules. Each run of the tests has another seed, except
    /// for seeded bugs, which are found within a known number of schedules.
    /// </summary>
    public int Seed
    {
        get => _seed ?? (Bugs.Length == 0 || TestSeed.IsReplay ? TestSeed.First : 1);
        init => _seed = value;
    }

    /// <summary>
    /// The most preemptions of a schedule; for <see cref="ExplorationStrategy.Exhaustive"/> and <see
    /// cref="ExplorationStrategy.Priorities"/>.
    /// </summary>
    public int PreemptionBound { get; init; } = 2;

    /// <summary>The bugs that <see cref="ScheduledProbe"/> turns on.</summary>
    public SeededBug[] Bugs { get; init; } = [];

    /// <summary>The most points of one schedule; beyond it the schedule counts as a livelock.</summary>
    public int StepLimit { get; init; } = 20_000;

    /// <summary>Whether the first failing schedule ends the exploration.</summary>
    public bool StopAtFirstFailure { get; init; } = true;

    /// <summary>The choices of a failed schedule, as its message printed them: runs exactly that schedule.</summary>
    public string? Replay { get; init; }

    /// <summary>After how long without a step a thread counts as blocked where the scheduler cannot see it.</summary>
    public TimeSpan BlockedAfter { get; init; } = TimeSpan.FromSeconds(5);
}
