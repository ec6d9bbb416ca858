using Faster.Contracts;
using Faster.Log.Records;

namespace Faster.Expiry;

/// <summary>How long a written record lives: without limit, for a duration, or until a point in time.</summary>
internal readonly record struct Lifetime
{
    private const long Short = 10_000;
    private const long Latest = RecordExpiry.Never >> 1; // with any slack it is before never

    private readonly long _milliseconds;

    private Lifetime(long milliseconds, bool isPointInTime) =>
        (_milliseconds, IsPointInTime) = (milliseconds, isPointInTime);

    /// <summary>Whether it is a point in time, instead of a duration.</summary>
    public bool IsPointInTime { get; }

    /// <summary>Whether what is written never expires, unless it has a time to live already.</summary>
    public bool NeverExpires => _milliseconds == 0 && !IsPointInTime;

    /// <summary>
    /// Whether the duration is so short that it must run from a time read for the purpose; a longer one may run from
    /// the store's <see cref="StoreClock.Recent"/> time.
    /// </summary>
    public bool IsShort => !IsPointInTime && _milliseconds is > 0 and < Short;

    /// <summary>
    /// How much longer in milliseconds what is written may live, so that the next writes need not write the expiry
    /// again: one part in 128.
    /// </summary>
    public long Slack => IsPointInTime || IsShort ? 0 : _milliseconds >> 7;

    /// <summary>
    /// How much longer what is written at a time lives: half of <see cref="Slack"/> to all of it. It differs from
    /// millisecond to millisecond, so that records that were written together are not all due for a new expiry at once.
    /// </summary>
    public long SlackAt(long now) =>
        Slack - (long)Math.BigMul(KeyHash.Spread((ulong)now), (ulong)Slack >> 1, out _);

    /// <summary>A duration in milliseconds from the write on; 0 never expires.</summary>
    public static Lifetime Of(long milliseconds) => new(milliseconds, isPointInTime: false);

    /// <summary>A point in time, in Unix milliseconds.</summary>
    public static Lifetime Until(long moment) => new(moment, isPointInTime: true);

    /// <summary>The duration in milliseconds from now on, at least 1 for a point in time; 0 never expires.</summary>
    public long From(long now) => IsPointInTime ? Math.Max(_milliseconds - now, 1) : _milliseconds;

    /// <summary>When a value that is written now expires, in Unix milliseconds.</summary>
    public long ExpiryFrom(long now) =>
        IsPointInTime ? _milliseconds
        : now < Latest - _milliseconds ? now + _milliseconds
        : Latest;
}
