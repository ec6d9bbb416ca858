namespace Faster.Tests.Scheduling;

/// <summary>How schedules are chosen.</summary>
internal enum ExplorationStrategy
{
    /// <summary>Turn about <see cref="Random"/> and <see cref="Priorities"/>: the best first guess.</summary>
    Mixed,

    /// <summary>At each point any thread that can run, with equal chance.</summary>
    Random,

    /// <summary>Random priorities that change at a few random points: finds bugs of few preemptions fast.</summary>
    Priorities,

    /// <summary>Every schedule with at most so many preemptions, once.</summary>
    Exhaustive,
}
