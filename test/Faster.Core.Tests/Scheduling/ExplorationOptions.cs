using Faster.Contracts;

namespace Faster.Tests.Scheduling;

/// <summary>What to explore, and how far.</summary>
internal sealed record ExplorationOptions
{
    private readonly int? _seed;

    /// <summary>The most schedules to run.</summary>
    public int Schedules { get; init; } = 2000;

    public ExplorationStrategy Strategy { get; init; }

    /// <summary>
    /// Two explorations with one seed choose the same schedules. Each run of the tests has another one, but for seeded
    /// bugs, which are found within a known number of schedules.
    /// </summary>
    public int Seed
    {
        get => _seed ?? (Bugs.Length == 0 || TestSeed.IsReplay ? TestSeed.First : 1);
        init => _seed = value;
    }

    /// <summary>
    /// How often a thread that could go on is stopped, at most; for <see cref="ExplorationStrategy.Exhaustive"/> and
    /// <see cref="ExplorationStrategy.Priorities"/>.
    /// </summary>
    public int PreemptionBound { get; init; } = 2;

    /// <summary>The bugs that <see cref="ScheduledProbe"/> sows.</summary>
    public SeededBug[] Bugs { get; init; } = [];

    /// <summary>The points passed in one schedule above which it counts as a livelock.</summary>
    public int StepLimit { get; init; } = 20_000;

    /// <summary>Whether the first failing schedule ends the exploration.</summary>
    public bool StopAtFirstFailure { get; init; } = true;

    /// <summary>The choices of a failed schedule, as its message printed them: runs just that schedule.</summary>
    public string? Replay { get; init; }

    /// <summary>Without a step for so long, a thread is taken to be blocked outside the scheduler's sight.</summary>
    public TimeSpan BlockedAfter { get; init; } = TimeSpan.FromSeconds(5);
}
