namespace Faster.Tests.Scheduling;

/// <summary>Chooses who runs next. Used by one exploration at a time, from one thread at a time.</summary>
internal abstract class SchedulingStrategy
{
    /// <summary>Prepares the next schedule.</summary>
    /// <returns>False when there is none left.</returns>
    public abstract bool Begin(int schedule);

    /// <summary>Chooses one of at least two threads that can run.</summary>
    /// <param name="enabled">Their numbers, ascending.</param>
    /// <param name="current">The thread that runs now, if it can go on; else -1, and the switch is no preemption.</param>
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

/// <summary>At each point any thread that can run, with equal chance.</summary>
internal sealed class RandomStrategy(int seed) : SchedulingStrategy
{
    private Random _random = new(seed);

    public override bool Begin(int schedule)
    {
        _random = new Random(unchecked((seed * 1_000_003) + schedule));
        return true;
    }

    public override int Choose(ReadOnlySpan<int> enabled, int current) => enabled[_random.Next(enabled.Length)];
}

/// <summary>Turn about uniform choice and priorities.</summary>
internal sealed class MixedStrategy(int seed, int bound) : SchedulingStrategy
{
    private readonly RandomStrategy _random = new(seed);
    private readonly PriorityStrategy _priorities = new(seed, bound);
    private SchedulingStrategy? _now;

    public override bool Begin(int schedule)
    {
        _now = schedule % 2 == 0 ? _priorities : _random;
        return _now.Begin(schedule);
    }

    public override int Choose(ReadOnlySpan<int> enabled, int current) => _now!.Choose(enabled, current);
}

/// <summary>Makes the choices of a recorded schedule again; after its end, whoever runs goes on.</summary>
internal sealed class ReplayStrategy(string choices) : SchedulingStrategy
{
    private readonly int[] _choices =
        [.. choices.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(int.Parse)];

    private int _next;

    public override bool Begin(int schedule)
    {
        _next = 0;
        return schedule == 0;
    }

    public override int Choose(ReadOnlySpan<int> enabled, int current)
    {
        int choice = _next < _choices.Length ? _choices[_next++] : current >= 0 ? current : enabled[0];
        if (enabled.Contains(choice)) return choice;
        throw new InvalidOperationException(
            $"Choice {_next} of the replayed schedule names thread {choice}, which cannot run: the scenario differs.");
    }
}
