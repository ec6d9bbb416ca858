using Faster.Crash.Ledgers;

namespace Faster.Crash.Leases;

/// <summary>
/// A clock that is moved by hand, and on which nothing waits long: a timer of a minute or more fires after a
/// millisecond.
/// </summary>
public sealed class LeaseTime : SteppedTime
{
    private static readonly TimeSpan Long = TimeSpan.FromMinutes(1), AtOnce = TimeSpan.FromMilliseconds(1);

    /// <summary>The time in Unix milliseconds.</summary>
    public long Milliseconds => Now.ToUnixTimeMilliseconds();

    /// <summary>The clock of a life, which begins later than the clock of any earlier life has ended.</summary>
    public static LeaseTime OfLife(int life)
    {
        var time = new LeaseTime();
        time.Now += TimeSpan.FromDays(2 * life);
        return time;
    }

    /// <summary>A clock that stands at a time.</summary>
    public static LeaseTime At(long milliseconds) =>
        new() { Now = DateTimeOffset.FromUnixTimeMilliseconds(milliseconds) };

    /// <inheritdoc/>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        base.CreateTimer(callback, state, dueTime >= Long ? AtOnce : dueTime, period);
}
