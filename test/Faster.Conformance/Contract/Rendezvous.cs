namespace Faster.Conformance.Contract;

/// <summary>
/// Lets some threads begin a round within nanoseconds of each other, as a barrier that wakes sleepers can't.
/// </summary>
/// <remarks>
/// Thread-safe. A thread that fails calls <see cref="GiveUp"/>, and the others then throw instead of waiting.
/// </remarks>
internal sealed class Rendezvous(int threads)
{
    private int _arrived;
    private volatile bool _givenUp;

    /// <summary>Waits for all threads to arrive for a round; rounds count from 0.</summary>
    public void Meet(int round)
    {
        Interlocked.Increment(ref _arrived);
        for (int spins = 0; Volatile.Read(ref _arrived) < threads * (round + 1); spins++)
        {
            if (_givenUp) throw new OperationCanceledException("Another worker failed.");
            if (spins < 200) Thread.SpinWait(10);
            else Thread.Yield();
        }
    }

    /// <summary>Frees those who wait.</summary>
    public void GiveUp() => _givenUp = true;
}
