using Faster.Log;

namespace Faster;

/// <summary>How long what an operation writes lives: for ever, for a time, or up to a moment.</summary>
internal readonly record struct Lifetime
{
    private const long Short = 10_000;

    private readonly long _milliseconds;

    private Lifetime(long milliseconds, bool isMoment) => (_milliseconds, IsMoment) = (milliseconds, isMoment);

    /// <summary>Whether it is up to a moment.</summary>
    public bool IsMoment { get; }

    /// <summary>Whether what is written never expires, unless it has a time to live already.</summary>
    public bool IsForEver => _milliseconds == 0 && !IsMoment;

    /// <summary>
    /// Whether it is so short that it runs from a time that was read for the purpose; a longer one may run from the
    /// store's <see cref="StoreClock.Recent"/> time.
    /// </summary>
    public bool IsShort => !IsMoment && _milliseconds is > 0 and < Short;

    /// <summary>So many milliseconds from the write on; 0 for ever.</summary>
    public static Lifetime Of(long milliseconds) => new(milliseconds, isMoment: false);

    /// <summary>Up to a moment, in Unix milliseconds.</summary>
    public static Lifetime Until(long moment) => new(moment, isMoment: true);

    /// <summary>How many milliseconds they are from now on; 0 for ever.</summary>
    public long From(long now) => IsMoment ? Math.Max(_milliseconds - now, 1) : _milliseconds;

    /// <summary>When what is written now expires.</summary>
    public long ExpiryFrom(long now) =>
        IsMoment ? _milliseconds
        : now < RecordExpiry.Never - _milliseconds ? now + _milliseconds
        : RecordExpiry.Never - 1;
}
