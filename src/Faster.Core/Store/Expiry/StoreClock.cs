using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// The time of one store, in Unix milliseconds, and what its sessions have done with it (docs/EXPIRY.md).
/// </summary>
/// <remarks>
/// Invariant: the time never goes back while the store is open, whatever the provider says: what somebody has seen dead
/// is dead for everybody who looks later. Thread-safe.
/// </remarks>
/// <param name="time">What tells it.</param>
/// <param name="merges">Whether updates merge, so that no record may expire.</param>
internal sealed class StoreClock(TimeProvider time, bool merges = false)
{
    private long _latest = long.MinValue;
    private long _longestLife;
    private readonly Lock _lock = new();
    private volatile bool _mayExpire;
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task _known = Task.CompletedTask;

    /// <summary>The clock of a store that is being opened: there are no sessions yet.</summary>
    /// <exception cref="NotSupportedException">The options have a time to live, and its updates merge.</exception>
    public static StoreClock For(StoreOptions options, RecordSchema schema)
    {
        var clock = new StoreClock(options.TimeProvider, merges: schema.Merger is not null);
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
    /// Whether records may be given an expiry that had none. From then on no record is updated without its latch, so
    /// that one in the mutable region may be replaced by one that has room for it.
    /// </summary>
    public bool MayExpire => _mayExpire;

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
        lock (_lock)
        {
            if (life > _longestLife) Volatile.Write(ref _longestLife, life);
            if (timeToLive == 0) return;
            if (!_mayExpire)
            {
                _mayExpire = true;
                _known = epochSafe?.Invoke() ?? Task.CompletedTask;
                _begun.SetResult();
            }
        }

        _known.Wait();
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
