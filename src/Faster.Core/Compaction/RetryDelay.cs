namespace Faster.Compaction;

/// <summary>
/// How long background work that has failed waits before it tries again: each time twice as long, a minute at most. So
/// what stays damaged costs next to nothing, and what was only busy is tried again soon.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
/// <param name="first">The first wait.</param>
internal sealed class RetryDelay(TimeSpan first)
{
    /// <summary>The longest wait.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromMinutes(1);

    private readonly TimeSpan _first = first;
    private TimeSpan _next = first;

    /// <summary>Returns how long to wait after another failure.</summary>
    public TimeSpan Next()
    {
        TimeSpan now = _next;
        _next = now < Longest / 2 ? 2 * now : Longest;
        return now;
    }

    /// <summary>Notes that the work has succeeded.</summary>
    public void Reset() => _next = _first;
}
