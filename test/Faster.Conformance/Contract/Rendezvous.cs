namespace Faster.Conformance.Contract;

/// <summary>
/// Lets some threads begin a round within nanoseconds of each other, as a barrier that wakes sleepers can't.
/// </summary>
/// <remarks>
/// Those who come early sleep until all have arrived; only then do they wait for each other awake, so that they take no
/// processor from those who are still at work. Thread-safe. A thread that fails calls <see cref="GiveUp"/>, and the
/// others then throw instead of waiting.
/// </remarks>
internal sealed class Rendezvous(int threads)
{
    private readonly object _lock = new();
    private int _arrived;
    private int _awake;
    private volatile bool _givenUp;

    /// <summary>Waits for all threads to arrive for a round; rounds count from 0.</summary>
    public void Meet(int round)
    {
        int all = threads * (round + 1);
        lock (_lock)
        {
            if (++_arrived == all) Monitor.PulseAll(_lock);
            while (_arrived < all && !_givenUp) Monitor.Wait(_lock);
        }

        Interlocked.Increment(ref _awake);
        for (int spins = 0; Volatile.Read(ref _awake) < all; spins++)
        {
            if (_givenUp) throw new OperationCanceledException("Another worker failed.");
            if (spins < 200) Thread.SpinWait(10);
            else Thread.Yield();
        }
    }

    /// <summary>Frees those who wait.</summary>
    public void GiveUp()
    {
        lock (_lock)
        {
            _givenUp = true;
            Monitor.PulseAll(_lock);
        }
    }
}
