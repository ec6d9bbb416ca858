using System.Diagnostics;

namespace Faster.Analytics.Subscriptions;

/// <summary>Shifts the log's read-only address to the tail at intervals, for all subscribers together.</summary>
/// <remarks>
/// Thread-safe. It has no thread: each subscriber that waits for more of the log calls it when its interval has
/// elapsed.
/// </remarks>
internal sealed class ReadOnlyShiftTimer(LogSource source)
{
    private readonly Lock _lock = new();
    private long _last = Stopwatch.GetTimestamp();

    /// <summary>The number of shifts made.</summary>
    public int ReadOnlyShifts { get; private set; }

    /// <summary>Shifts the read-only address to the tail, unless that was done within an interval.</summary>
    /// <returns>The time after which to call again.</returns>
    public TimeSpan ShiftIfDue(TimeSpan every)
    {
        lock (_lock)
        {
            TimeSpan elapsed = Stopwatch.GetElapsedTime(_last);
            if (elapsed < every) return every - elapsed;
            _last = Stopwatch.GetTimestamp();
            ReadOnlyShifts++;
        }

        _ = source.ShiftReadOnlyToTail();
        return every;
    }
}
