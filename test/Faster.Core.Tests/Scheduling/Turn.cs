namespace Faster.Tests.Scheduling;

/// <summary>Where a thread waits until it is its turn. One waits, any other gives the turn; a turn is kept.</summary>
/// <remarks>
/// Looks a few times and then blocks. A semaphore that spins would yield the processor a hundred times before, in each
/// of the threads that do not have the turn, and take it from the one that has.
/// </remarks>
internal sealed class Turn
{
    private const int Looks = 60;

    private readonly object _lock = new();
    private volatile bool _given;

    /// <summary>Gives the turn.</summary>
    public void Give()
    {
        lock (_lock)
        {
            _given = true;
            Monitor.Pulse(_lock);
        }
    }

    /// <summary>Waits for the turn, and takes it.</summary>
    public void Take() => _ = TryTake(Timeout.InfiniteTimeSpan);

    /// <summary>Waits for the turn for a while, and takes it.</summary>
    /// <returns>Whether it was given.</returns>
    public bool TryTake(TimeSpan patience)
    {
        for (int looks = 0; looks < Looks && !_given; looks++) Thread.SpinWait(8);
        lock (_lock)
        {
            while (!_given)
            {
                if (!Monitor.Wait(_lock, patience) && !_given) return false;
            }

            _given = false;
            return true;
        }
    }
}
