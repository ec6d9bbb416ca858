using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Expiry;

/// <summary>
/// One session's view of time: the lifetime of what it writes, and whether a record that it has found is dead.
/// </summary>
/// <remarks>
/// <para><b>Invariant.</b> A record is judged alive by a time that was read after it was found, and dead by a time that
/// was read before the search for it began. So it was alive when it was found, or it was already dead when it was found
/// as its key's newest record. In both cases this holds at one moment, together with all that other operations have
/// done to the key (docs/internals/expiry.md). If a record dies in between, the search is repeated.</para>
/// <para>Not thread-safe: it belongs to a session.</para>
/// </remarks>
internal sealed unsafe class SessionClock(StoreClock clock)
{
    private long _seen = long.MinValue;  // some time before the search under way
    private long _ticks;                 // of the time to live
    private Lifetime _life;
    private RecentTime* _recent = clock.Word;
    private long _now;
    private bool _isFresh;               // whether the search under way has read the time

    /// <summary>Whether records may have an expiry.</summary>
    public bool MayExpire => clock.MayExpire;

    /// <summary>The store's time, for hits.</summary>
    public RecentTime* Time => clock.Word;

    /// <summary>Whether all updates are to take the latch.</summary>
    public bool LatchesAll => clock.Unlatched.AreEnding;

    /// <summary>Whether reading the time may run code of the user's.</summary>
    public bool RunsUserCode => clock.RunsUserCode;

    /// <summary>
    /// The lifetime of what the session's operations write; a pending operation keeps the one it began with.
    /// </summary>
    public Lifetime Own { get; private set; }

    /// <summary>
    /// The session's time to live as the caller set it. Read before whatever the caller reads next, from any thread.
    /// </summary>
    public TimeSpan TimeToLive
    {
        get => new(Volatile.Read(ref _ticks));
        private set => Volatile.Write(ref _ticks, value.Ticks);
    }

    /// <summary>Whether the session has a time to live as its caller sets it, and no other lifetime.</summary>
    public bool HasOwn(TimeSpan life) =>
        TimeToLive == life && Own == Lifetime.Of(StoreClock.Milliseconds(life, nameof(TimeToLive)));

    /// <summary>Sets the session's time to live. Called outside every epoch.</summary>
    /// <param name="life">The time to live; zero never expires.</param>
    /// <param name="epochSafe">What <see cref="StoreClock.Begin"/> may have to wait for.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public void SetOwn(TimeSpan life, Func<Task>? epochSafe)
    {
        SetOwn(Lifetime.Of(StoreClock.Milliseconds(life, nameof(TimeToLive))), epochSafe);
        TimeToLive = life;
    }

    /// <inheritdoc cref="SetOwn(TimeSpan, Func{Task}?)"/>
    public void SetOwn(Lifetime life, Func<Task>? epochSafe)
    {
        clock.Begin(life.From(clock.Now), epochSafe, isMoment: life.IsPointInTime);
        WorkWith(Own = life);
    }

    /// <summary>Makes the next attempts write with another lifetime, until <see cref="Return"/>.</summary>
    public void WorkWith(Lifetime life)
    {
        _life = life;
        _recent = life.IsShort ? RecentTime.Never : clock.Word;
    }

    /// <summary>Restores the session's own lifetime.</summary>
    public void Return() => WorkWith(Own);

    /// <summary>Called when a search for a key's record begins, before the index entry is read.</summary>
    public void BeginSearch() => _isFresh = false;

    /// <summary>Judges whether a record that was found in the search under way is alive.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: it is alive. <see cref="Outcome.NotFound"/>: it is dead.
    /// <see cref="Outcome.Expired"/>: it is dead by a time read after the search began; search again.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome Judge(long expiry)
    {
        // By far the most are alive by the store's time: they expire much later.
        if (!_recent->IsRecent) return JudgeClosely(expiry);
        _now = Volatile.Read(ref _recent->Latest);
        _isFresh = true;
        return _now + StoreClock.Near < expiry ? Outcome.Ok : JudgeClosely(expiry);
    }

    private Outcome JudgeClosely(long expiry)
    {
        if (expiry == RecordExpiry.Never) return Outcome.Ok;
        if (_seen >= expiry) return Outcome.NotFound;
        long now = Read(expiry);
        if (now < expiry) return Outcome.Ok;
        _seen = now;
        return Probe.On && Probe.Has(SeededBug.DeadByLaterClock) ? Outcome.NotFound : Outcome.Expired;
    }

    /// <summary>The expiry of a value that is written now.</summary>
    /// <param name="old">The result if the session's records never expire.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long Renewed(long old)
    {
        if (_life.NeverExpires) return old;
        if (!_isFresh) Read(RecordExpiry.Never);
        long expiry = _life.ExpiryFrom(_now);
        return _recent->IsRecent ? expiry + _life.SlackAt(_now) : expiry;
    }

    /// <summary>
    /// How long a record lives whose word the session updates without the latch, because the expiry need not change: at
    /// least, and how much more at most, in milliseconds.
    /// </summary>
    public (long Least, ulong Span) Unlatched
    {
        get
        {
            bool isOnly = !Own.IsPointInTime && !Own.IsShort && !LatchesAll && clock.Unlatched.OnlyLife != 0;
            return isOnly && !Own.NeverExpires ? (Own.From(0), (ulong)Own.Slack) : (long.MinValue >> 1, 0);
        }
    }

    /// <summary>
    /// Whether a record that is updated without its latch elsewhere may get an expiry in place
    /// (<see cref="UnlatchedUpdates"/>).
    /// </summary>
    public bool MayPut(long old, long expiry) =>
        expiry == old || clock.Unlatched.MayMix || !(_life.NeverExpires || _life.IsPointInTime)
            || (Probe.On && Probe.Has(SeededBug.MixesInPlace));

    /// <summary>Whether no session updates a record without its latch any more.</summary>
    public bool HasNoUnlatched => clock.Unlatched.AreOver || (Probe.On && Probe.Has(SeededBug.ReplacesUnlatched));

    /// <summary>Makes <see cref="HasNoUnlatched"/> true as soon as the epoch is safe.</summary>
    public void EndUnlatched(EpochTable epochs)
    {
        if (clock.Unlatched.TryBeginEnd()) epochs.Bump(clock.Unlatched.End);
    }

    /// <summary>
    /// Whether an expiry that is written now, as an import brings it, has already passed. Such a value must not replace
    /// another one in place: a reader without the latch relies on the value having been alive when it was written.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsPast(long expiry) =>
        _life.IsPointInTime && Read(expiry) >= expiry && !(Probe.On && Probe.Has(SeededBug.PastInPlace));

    private long Read(long expiry)
    {
        Probe.Point(ProbePoint.Clock);
        _now = _life.IsShort ? clock.Now : clock.TimeFor(expiry);
        _isFresh = true;
        return _now;
    }
}
