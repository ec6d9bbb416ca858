namespace Faster.Tests.Scheduling;

/// <summary>Chooses at each point any thread that can run, with equal probability.</summary>
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
