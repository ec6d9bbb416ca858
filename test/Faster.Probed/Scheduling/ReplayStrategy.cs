namespace Faster.Tests.Scheduling;

/// <summary>Repeats the choices of a recorded schedule; after their end, the running thread goes on.</summary>
internal sealed class ReplayStrategy(string choices) : SchedulingStrategy
{
    private readonly int[] _choices = [.. choices.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(int.Parse)];

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
