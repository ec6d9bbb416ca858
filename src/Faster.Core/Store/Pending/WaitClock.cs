using System.Diagnostics;

namespace Faster;

/// <summary>
/// How long somebody has waited. Time counts while the thread runs: of a longer gap between two looks, when the machine
/// slept or the thread got no processor, only <see cref="LongestGap"/> does.
/// </summary>
/// <param name="limit">After how long it is over.</param>
internal struct WaitClock(TimeSpan limit)
{
    private static readonly TimeSpan LongestGap = TimeSpan.FromSeconds(1);

    private TimeSpan _waited;
    private long _lastLook;

    /// <summary>Looks at the time: whether the limit is reached.</summary>
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
