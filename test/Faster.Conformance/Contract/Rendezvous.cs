namespace Faster.Conformance.Contract;

/// <summary>
/// Lets threads begin a round within nanoseconds of each other, which a barrier that wakes sleepers cannot do.
/// </summary>
/// <remarks>
/// Thread-safe. A thread that fails calls <see cref="GiveUp"/>, and the others then throw instead of waiting.
/// </remarks>
internal sealed class Rendezvous(int threads)
{
    private readonly object _gate = new();
    private int _arrived;
    private int _awake;
    private volatile bool _givenUp;

    /// <summary>Waits for all threads to arrive for a round; rounds count from 0.</summary>
    public void Meet(int round)
    {
        int all = threads * (round + 1);
        Gather(all);
        Interlocked.Increment(ref _awake);
        for (int spins = 0; Volatile.Read(ref _awake) < all; spins++)
        {
            ThrowIfGivenUp();
            if (spins < 200) Thread.SpinWait(10);
            else Thread.Yield();
        }
    }

    /// <summary>Releases the threads that wait, which then throw.</summary>
    public void GiveUp()
    {
        lock (_gate)
        {
            _givenUp = true;
            Monitor.PulseAll(_gate);
        }
    }

    // The threads sleep until the last one arrives. It may wait for the disk, and spinning would take its processor.
    private void Gather(int all)
    {
        lock (_gate)
        {
            if (++_arrived == all) Monitor.PulseAll(_gate);
            while (_arrived < all)
            {
                ThrowIfGivenUp();
                Monitor.Wait(_gate);
            }
        }
    }

    private void ThrowIfGivenUp()
    {
        if (_givenUp) throw new OperationCanceledException("Another worker failed.");
    }
}
