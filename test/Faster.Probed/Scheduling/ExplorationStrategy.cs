namespace Faster.Tests.Scheduling;

/// <summary>How schedules are chosen.</summary>
internal enum ExplorationStrategy
{
    /// <summary>Alternates <see cref="Random"/> and <see cref="Priorities"/>: the best default.</summary>
    Mixed,

    /// <summary>Chooses at each point any thread that can run, with equal probability.</summary>
    Random,

    /// <summary>Random priorities that change at a few random points: finds bugs of few preemptions fast.</summary>
    Priorities,

    /// <summary>Every schedule within the preemption bound, once.</summary>
    Exhaustive,
}
