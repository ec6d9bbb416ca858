namespace Faster.Tests.Scheduling;

/// <summary>
/// The thread of the highest priority runs; at a few random points the running one falls below all others.
/// </summary>
/// <remarks>
/// After Burckhardt and others, «A randomized scheduler with probabilistic guarantees of finding bugs» (2010): a bug
/// that needs d ordering constraints in n threads of k steps is hit with a chance of at least 1/(n·kᵈ⁻¹) a schedule. k
/// is not known beforehand; a little more than the length of the last schedules replaces it. The longest length would
/// not do: one schedule in which threads poll for long would move the change points beyond the end of all others.
/// </remarks>
internal sealed class PriorityStrategy(int seed, int bound) : SchedulingStrategy
{
    private const int MaxThreads = 32, Least = 16;

    private readonly int[] _priorities = new int[MaxThreads];
    private readonly int[] _changes = new int[bound];
    private int _steps = Least;
    private int _decision;
    private int _lowest;

    public override bool Begin(int schedule)
    {
        _steps = Math.Max(Least, ((7 * _steps) + (_decision * 3 / 2)) / 8);
        _decision = 0;
        _lowest = 0;
        var random = new Random(unchecked((seed * 1_000_003) + schedule));
        for (int i = 0; i < MaxThreads; i++) _priorities[i] = i + 1;
        random.Shuffle(_priorities);
        for (int i = 0; i < _changes.Length; i++) _changes[i] = random.Next(_steps);
        return true;
    }

    public override int Choose(ReadOnlySpan<int> enabled, int current)
    {
        if (current >= 0 && Array.IndexOf(_changes, _decision) >= 0) _priorities[current] = --_lowest;
        _decision++;
        int best = enabled[0];
        foreach (int thread in enabled)
        {
            if (_priorities[thread] > _priorities[best]) best = thread;
        }

        return best;
    }
}
