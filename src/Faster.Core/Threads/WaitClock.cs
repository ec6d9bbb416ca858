using System.Diagnostics;

namespace Faster.Threads;

/// <summary>
/// Measures how long a wait has lasted. Time counts while the thread runs: of a longer gap between two readings, when
/// the machine slept or the thread got no processor, only <see cref="LongestGap"/> counts.
/// </summary>
/// <param name="limit">The time after which the wait is over.</param>
internal struct WaitClock(TimeSpan limit)
{
    /// <summary>The time without progress after which an operation fails instead of hanging.</summary>
    public static readonly TimeSpan StallLimit = TimeSpan.FromSeconds(30);

    private static readonly TimeSpan LongestGap = TimeSpan.FromSeconds(1);

    private TimeSpan _waited;
    private long _lastLook;

    /// <summary>Reads the time, and tells whether the limit is reached.</summary>
    public bool IsOver
    {
        get
        {
            long now = Stopwatch.GetTimestamp();
            TimeSpan gap = _lastLook == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(_lastLook, now);
            _waited += gap < LongestGap ? gap : LongestGap;
            _lastLook = now;
            return _waited >= limit;
        }
    }
}
