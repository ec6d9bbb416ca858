using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// The time of one store, in Unix milliseconds, and what its sessions have done with it (docs/EXPIRY.md).
/// </summary>
/// <remarks>
/// <para>Invariant: the time never goes back, whatever the provider says, nor does it begin before that of the commit
/// from which the store was opened: what somebody has seen dead is dead for everybody who looks later.</para>
/// <para>The time <i>is</i> the latest one that anybody has read; to read the provider only moves it on. So it does not
/// matter to the order of operations how seldom that is done: who says that a record is dead has moved the time past
/// its expiry, for all to see. It matters to the user, who is told within <see cref="Near"/> of an expiry by the
/// provider itself; further away, and where the provider is the system's clock, by what was read in the same tick of
/// the system's coarse clock, which costs a fifth. Thread-safe.</para>
/// </remarks>
/// <param name="time">What tells it.</param>
/// <param name="merges">Whether updates merge, so that no record may expire.</param>
/// <param name="floor">The time that it does not begin before, in Unix milliseconds.</param>
/// <param name="coarse">A coarse clock of a test's own; null: the system's, if the time is.</param>
internal sealed class StoreClock(
    TimeProvider time, bool merges = false, long floor = long.MinValue, Func<long>? coarse = null)
{
    /// <summary>Within so many milliseconds of its expiry a record is judged by the provider's time.</summary>
    public const long Near = 1000;

    private readonly bool _isCoarse = coarse is not null || time == TimeProvider.System;
    private long _latest = floor;
    private long _tick = long.MinValue; // in which the provider was read last
    private long _longestLife;
    private readonly Lock _lock = new();
    private volatile bool _mayExpire;
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task? _known; // null until somebody has begun to wait for the epoch

    /// <summary>The clock of a store that is being opened: there are no sessions yet.</summary>
    /// <param name="options">How the store is opened.</param>
    /// <param name="schema">The shape of its records.</param>
    /// <param name="committed">The time of the commit that it is opened from; null when there is none.</param>
    /// <param name="coarse">A coarse clock of a test's own; null: the system's, if the time is.</param>
    /// <exception cref="NotSupportedException">The options have a time to live, and its updates merge.</exception>
    public static StoreClock For(
        StoreOptions options, RecordSchema schema, long? committed, Func<long>? coarse = null)
    {
        long floor = options.ClockMayGoBack ? long.MinValue : committed ?? long.MinValue;
        var clock = new StoreClock(options.TimeProvider, merges: schema.Merger is not null, floor, coarse);
        clock.Begin(Milliseconds(options.TimeToLive, nameof(options.TimeToLive)), epochSafe: null);
        return clock;
    }

    /// <summary>The time now. Written to the shared word once a millisecond at most.</summary>
    public long Now
    {
        get
        {
            long now = time.GetUtcNow().ToUnixTimeMilliseconds(), latest = Volatile.Read(ref _latest);
            while (now > latest)
            {
                long seen = Interlocked.CompareExchange(ref _latest, now, latest);
                if (seen == latest) return now;
                latest = seen;
            }

            return latest;
        }
    }

    /// <summary>
    /// The time, which the provider may have been asked for earlier in the present tick of the coarse clock: some
    /// milliseconds ago (4 on Linux, 16 on Windows).
    /// </summary>
    public long Recent
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (!_isCoarse) return Now;
            long tick = coarse is null ? Environment.TickCount64 : coarse();
            if (tick == Volatile.Read(ref _tick)) return Volatile.Read(ref _latest);
            long now = Now; // after the tick has begun, and known before the tick is
            Volatile.Write(ref _tick, tick);
            return now;
        }
    }

    /// <summary>The time by which to judge a record of that expiry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long TimeFor(long expiry) => Recent is var recent && recent < expiry - Near ? recent : Now;

    /// <summary>
    /// Whether records may be given an expiry that had none. From then on no record is updated without its latch, so
    /// that one in the mutable region may be replaced by one that has room for it.
    /// </summary>
    public bool MayExpire => _mayExpire;

    /// <summary>How far the provider's time is behind the store's, which stands still as long as it is.</summary>
    public TimeSpan Behind =>
        TimeSpan.FromMilliseconds(Math.Max(Now - time.GetUtcNow().ToUnixTimeMilliseconds(), 0));

    /// <summary>Ends when records may be given an expiry.</summary>
    public Task Begun => _begun.Task;

    /// <summary>
    /// The longest time in milliseconds that any session has given its records, <see cref="RecordExpiry.Never"/> when
    /// one of them wrote for ever, 0 when none has begun. What was last written so long ago is dead, whoever wrote it
    /// since the store was opened; an address tells when that was only by the time at which it became read-only.
    /// </summary>
    public long LongestLife => Volatile.Read(ref _longestLife);

    /// <summary>Sessions are about to give their records so many milliseconds, or 0 for ever.</summary>
    /// <param name="timeToLive">How many.</param>
    /// <param name="epochSafe">
    /// Gives a task that ends when everybody has left the epoch who may not know that <see cref="MayExpire"/>; null
    /// while there are no sessions. Nobody gives a record a time before.
    /// </param>
    /// <param name="mayMerge">Whether records may expire where updates merge, too: those of an import.</param>
    /// <exception cref="NotSupportedException">The store's updates merge.</exception>
    public void Begin(long timeToLive, Func<Task>? epochSafe, bool mayMerge = false)
    {
        if (timeToLive != 0 && merges && !mayMerge)
        {
            throw new NotSupportedException(
                "A store whose class has a method marked [Merger] takes no time to live: whether a partial value adds "
                + "to one that is still alive could not be said later. Leave TimeToLive at zero, or take [Merger] "
                + "away.");
        }

        long life = timeToLive == 0 ? RecordExpiry.Never : timeToLive;
        Task known;
        lock (_lock)
        {
            if (life > _longestLife) Volatile.Write(ref _longestLife, life);
            if (timeToLive == 0) return;
            if (_known is null or { IsFaulted: true } or { IsCanceled: true })
            {
                // Set first: whoever has seen the epoch that is waited for has seen this. If there is nothing to wait
                // for, because that failed, the next caller begins again; updates by latch do no harm until then.
                _mayExpire = true;
                _known = epochSafe?.Invoke() ?? Task.CompletedTask;
            }

            known = _known;
        }

        known.GetAwaiter().GetResult();
        _begun.TrySetResult();
    }

    /// <summary>A time to live in whole milliseconds, rounded up; 0 for ever.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public static long Milliseconds(TimeSpan timeToLive, string name)
    {
        if (timeToLive >= TimeSpan.Zero)
            return (timeToLive.Ticks / TimeSpan.TicksPerMillisecond)
                + (timeToLive.Ticks % TimeSpan.TicksPerMillisecond == 0 ? 0 : 1);
        throw new ArgumentOutOfRangeException(
            name, timeToLive, $"{name} is the time that what is written lives: above zero, or zero for ever.");
    }
}
