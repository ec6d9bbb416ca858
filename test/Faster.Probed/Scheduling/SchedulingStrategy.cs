namespace Faster.Tests.Scheduling;

/// <summary>Chooses the thread that runs next. Used by one exploration at a time, from one thread at a time.</summary>
internal abstract class SchedulingStrategy
{
    /// <summary>Prepares the next schedule.</summary>
    /// <returns>False when there is none left.</returns>
    public abstract bool Begin(int schedule);

    /// <summary>Chooses one of at least two threads that can run.</summary>
    /// <param name="enabled">Their numbers, ascending.</param>
    /// <param name="current">The thread that runs now, if it can go on; else -1: the switch is no preemption.</param>
    public abstract int Choose(ReadOnlySpan<int> enabled, int current);

    public static SchedulingStrategy For(ExplorationOptions options) => options switch
    {
        { Replay: not null } => new ReplayStrategy(options.Replay),
        { Strategy: ExplorationStrategy.Random } => new RandomStrategy(options.Seed),
        { Strategy: ExplorationStrategy.Priorities } => new PriorityStrategy(options.Seed, options.PreemptionBound),
        { Strategy: ExplorationStrategy.Exhaustive } => new ExhaustiveStrategy(options.PreemptionBound),
        _ => new MixedStrategy(options.Seed, options.PreemptionBound),
    };
}
