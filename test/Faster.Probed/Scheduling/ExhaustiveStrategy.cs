namespace Faster.Tests.Scheduling;

/// <summary>Depth-first search over all schedules with a bounded number of preemptions.</summary>
/// <remarks>
/// Each schedule repeats the decisions of the one before up to the deepest that has an alternative left, takes the
/// alternative, and then lets the running thread go on. A switch away from a thread that could go on costs a
/// preemption; other switches are free.
/// </remarks>
internal sealed class ExhaustiveStrategy(int bound) : SchedulingStrategy
{
    private readonly List<Decision> _path = [];
    private int _depth;

    public override bool Begin(int schedule)
    {
        _depth = 0;
        if (schedule == 0) return true;
        while (_path.Count > 0)
        {
            Decision last = _path[^1];
            if (last.Taken + 1 < last.Options.Length)
            {
                _path[^1] = last with { Taken = last.Taken + 1 };
                return true;
            }

            _path.RemoveAt(_path.Count - 1);
        }

        return false;
    }

    public override int Choose(ReadOnlySpan<int> enabled, int current)
    {
        if (_depth == _path.Count) _path.Add(new Decision(Options(enabled, current, Preemptions()), 0, current >= 0));
        Decision decision = _path[_depth++];
        int choice = decision.Options[decision.Taken];
        if (enabled.Contains(choice)) return choice;
        throw new InvalidOperationException(
            "The scenario is not deterministic: with equal choices another set of threads can run.");
    }

    private int Preemptions() => _path.Count(static decision => decision.CouldGoOn && decision.Taken > 0);

    private int[] Options(ReadOnlySpan<int> enabled, int current, int preemptions)
    {
        if (current < 0) return enabled.ToArray();
        if (preemptions >= bound) return [current];
        return [current, .. enabled.ToArray().Where(thread => thread != current)];
    }

    /// <summary>A choice: the options, the running thread first if it can go on; and which was taken.</summary>
    private readonly record struct Decision(int[] Options, int Taken, bool CouldGoOn);
}
