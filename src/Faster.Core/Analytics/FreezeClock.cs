using System.Diagnostics;
using Faster.Contracts;

namespace Faster.Analytics;

/// <summary>Freezes the log for the sake of subscribers, for all of them together.</summary>
/// <remarks>Thread-safe. It has no thread: who waits for more of the log asks when its time has come.</remarks>
internal sealed class FreezeClock<TProbe>(LogSource<TProbe> source)
    where TProbe : struct, IProbe
{
    private readonly Lock _lock = new();
    private long _last = Stopwatch.GetTimestamp();

    /// <summary>How often it has frozen the log.</summary>
    public int Freezes { get; private set; }

    /// <summary>Freezes the log, unless somebody has within a time.</summary>
    /// <returns>When to ask again.</returns>
    public TimeSpan FreezeIfDue(TimeSpan every)
    {
        lock (_lock)
        {
            TimeSpan elapsed = Stopwatch.GetElapsedTime(_last);
            if (elapsed < every) return every - elapsed;
            _last = Stopwatch.GetTimestamp();
            Freezes++;
        }

        _ = source.FreezeToTail();
        return every;
    }
}
