using Faster.Contracts;
using Faster.Log.Records;

namespace Faster.Expiry;

/// <summary>
/// The time of one store, in Unix milliseconds, and the lifetimes that its sessions have used
/// (docs/internals/expiry.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The time never goes back, whatever the provider says, and does not begin before that of the commit from which
/// the store was opened.</item>
/// <item>A record that one thread has seen dead is dead for every thread that checks later.</item>
/// </list>
/// <para>The store's time <i>is</i> the maximum value read so far; reading the provider only advances it. So the order
/// of operations does not depend on how often it is read: a thread that finds a record dead has advanced the time past
/// its expiry, for all to see. It matters to the user: within <see cref="Near"/> of an expiry, the provider itself is
/// read; further away, and if the provider is the system's clock, the store's time is used while
/// <see cref="ClockTicker"/> keeps it recent. Thread-safe.</para>
/// </remarks>
/// <param name="time">The time provider.</param>
/// <param name="merges">Whether updates merge, so that no record may expire.</param>
/// <param name="floor">The store's time does not begin before this one, in Unix milliseconds.</param>
internal sealed unsafe class StoreClock(TimeProvider time, bool merges = false, long floor = long.MinValue)
{
    /// <summary>Within this many milliseconds of its expiry, a record is judged by the provider's time.</summary>
    public const long Near = 1000;

    private readonly bool _isSystem = time == TimeProvider.System;
    private readonly RecentTime[] _word = RecentTime.Allocate(floor);
    private long _shortestLife = RecordExpiry.Never;
    private readonly Lock _lock = new();
    private volatile bool _mayExpire;
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task? _known; // null until the first wait for the epoch has begun

    /// <summary>Makes the clock of a store that is being opened: there are no sessions yet.</summary>
    /// <param name="options">The options with which the store is opened.</param>
    /// <param name="schema">The layout of its records.</param>
    /// <param name="committed">The time of the commit that it is opened from; null when there is none.</param>
    /// <exception cref="NotSupportedException">
    /// The options have a time to live, and the store's updates merge.
    /// </exception>
    public static StoreClock For(StoreOptions options, RecordSchema schema, long? committed)
    {
        long floor = options.AllowClockRollback ? long.MinValue : committed ?? long.MinValue;
        var clock = new StoreClock(options.TimeProvider, merges: schema.Merger is not null, floor);
        clock.Begin(Milliseconds(options.TimeToLive, nameof(options.TimeToLive)), epochSafe: null);
        return clock;
    }

    /// <summary>The store's time, in memory that stays where it is while the clock exists.</summary>
    public RecentTime* Word => RecentTime.In(_word);

    /// <summary>The current time. Written to the shared word at most once a millisecond.</summary>
    public long Now
    {
        get
        {
            long* word = &Word->Latest;
            long now = time.GetUtcNow().ToUnixTimeMilliseconds(), latest = Volatile.Read(ref *word);
            while (now > latest)
            {
                long seen = Interlocked.CompareExchange(ref *word, now, latest);
                if (seen == latest) return now;
                latest = seen;
            }

            return latest;
        }
    }

    /// <summary>
    /// The time, which may have been read from the provider some milliseconds ago (<see cref="ClockTicker"/>).
    /// </summary>
    public long Recent
    {
        get
        {
            if (Word->IsRecent) return Volatile.Read(ref Word->Latest);
            if (_isSystem) ClockTicker.Serve(this);
            return Now;
        }
    }

    /// <summary>Whether reading it may run code of the user's, which may throw.</summary>
    public bool RunsUserCode => !_isSystem;

    /// <summary>The time by which to judge a record with the given expiry.</summary>
    public long TimeFor(long expiry) => Recent is var recent && recent < expiry - Near ? recent : Now;

    /// <summary>Whether records may have an expiry.</summary>
    public bool MayExpire => _mayExpire;

    /// <summary>Which updates need no latch.</summary>
    public UnlatchedUpdates Unlatched { get; } = new();

    /// <summary>
    /// How far the provider's time is behind the store's, which stands still until the provider catches up.
    /// </summary>
    public TimeSpan Behind =>
        TimeSpan.FromMilliseconds(Math.Max(Now - time.GetUtcNow().ToUnixTimeMilliseconds(), 0));

    /// <summary>Completes when records may be given an expiry.</summary>
    public Task Begun => _begun.Task;

    /// <summary>
    /// The shortest time to live, in milliseconds, that any session has given its records;
    /// <see cref="RecordExpiry.Never"/> when none has.
    /// </summary>
    public long ShortestLife => Volatile.Read(ref _shortestLife);

    /// <summary>Reads the time, and says that it is recent until <see cref="Withdraw"/>.</summary>
    public void Publish()
    {
        _ = Now;
        Word->IsRecent = true;
    }

    /// <summary>Says that the time is not recent any more.</summary>
    public void Withdraw() => Word->IsRecent = false;

    /// <summary>Called before sessions give their records a time to live.</summary>
    /// <param name="timeToLive">The time to live in milliseconds; 0 never expires.</param>
    /// <param name="epochSafe">
    /// Returns a task that completes when all sessions that may not have seen <see cref="MayExpire"/> have left the
    /// epoch; null while there are no sessions. No record is given this time to live before that.
    /// </param>
    /// <param name="isMoment">
    /// Whether it lasts until a moment, as in an import, which may bring it even if updates merge.
    /// </param>
    /// <exception cref="NotSupportedException">The store's updates merge.</exception>
    public void Begin(long timeToLive, Func<Task>? epochSafe, bool isMoment = false)
    {
        if (timeToLive == 0) return;
        if (merges && !isMoment)
        {
            throw new NotSupportedException(
                "A store whose class has a method marked [Merger] takes no time to live: it could not be decided "
                + "later whether a delta adds to a value that is still alive. Leave TimeToLive at zero, or remove "
                + "[Merger].");
        }

        Task known;
        bool mixes;
        lock (_lock)
        {
            if (!isMoment && timeToLive < _shortestLife) Volatile.Write(ref _shortestLife, timeToLive);
            if (!isMoment && Unlatched.Add(timeToLive)) _known = null;
            if (_known is null or { IsFaulted: true } or { IsCanceled: true })
            {
                // Set first: a session that has seen the awaited epoch has seen this. If the wait for the epoch failed,
                // the next caller begins again; updates under the latch do no harm until then.
                _mayExpire = true;
                _known = epochSafe?.Invoke() ?? Task.CompletedTask;
            }

            (known, mixes) = (_known, Unlatched.HasSeveral);
        }

        known.GetAwaiter().GetResult();
        if (mixes) Unlatched.Mix();
        _begun.TrySetResult();
    }

    /// <summary>Converts a time to live to whole milliseconds, rounded up; 0 never expires.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The time to live is negative.</exception>
    public static long Milliseconds(TimeSpan timeToLive, string name)
    {
        if (timeToLive >= TimeSpan.Zero)
            return (timeToLive.Ticks / TimeSpan.TicksPerMillisecond)
                + (timeToLive.Ticks % TimeSpan.TicksPerMillisecond == 0 ? 0 : 1);
        throw new ArgumentOutOfRangeException(
            name, timeToLive, $"{name} is the time to live of written records: positive, or zero to never expire.");
    }
}
