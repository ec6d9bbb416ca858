namespace Faster.Tests.Scheduling;

/// <summary>Alternates uniform choice and priorities.</summary>
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
