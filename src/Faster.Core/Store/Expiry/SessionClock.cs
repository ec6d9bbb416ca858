using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// What one session knows of time: how long what it writes lives, and whether a record that it has found is dead.
/// </summary>
/// <remarks>
/// <para><b>Invariant.</b> A record is alive by a time that was read after it was found, and dead by a time that was
/// read before the search for it began. So it was alive when it was found, and it had been dead already when it was
/// found as its key's newest record; in both cases at one moment, with all that other operations have done to the key
/// (docs/EXPIRY.md). A record that dies between is searched for again.</para>
/// <para>Not thread-safe: it belongs to a session.</para>
/// </remarks>
internal sealed class SessionClock<TProbe>(StoreClock clock)
    where TProbe : struct, IProbe
{
    private long _seen = long.MinValue;  // some time before the search that is under way
    private Lifetime _life;
    private long _now;
    private bool _isFresh;               // whether the search under way has read the time

    /// <summary>Whether records may be given an expiry that had none.</summary>
    public bool MayExpire => clock.MayExpire;

    /// <summary>What the session's operations write; one that has waited brings what it began with.</summary>
    public Lifetime Own { get; private set; }

    /// <summary>The session's time to live as it was given.</summary>
    public TimeSpan TimeToLive { get; private set; }

    /// <summary>Sets the session's time to live. Outside every epoch.</summary>
    /// <param name="life">The time; zero for ever.</param>
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
        clock.Begin(life.From(clock.Now), epochSafe, mayMerge: life.IsMoment);
        _life = Own = life;
    }

    /// <summary>Lets the next attempt write with another lifetime, until <see cref="Return"/>.</summary>
    public void WorkWith(Lifetime life) => _life = life;

    /// <summary>Goes back to the session's own.</summary>
    public void Return() => _life = Own;

    /// <summary>A search for a key's record begins: the index entry has not been read yet.</summary>
    public void BeginSearch() => _isFresh = false;

    /// <summary>Whether a record that was found in the search under way is alive.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: it is. <see cref="Outcome.NotFound"/>: it is dead. <see cref="Outcome.Expired"/>: it
    /// has died since the search began, or before; search again.
    /// </returns>
    public Outcome Judge(long expiry)
    {
        if (expiry == RecordExpiry.Never) return Outcome.Ok;
        if (_seen >= expiry) return Outcome.NotFound;
        long now = Read(expiry);
        if (now < expiry) return Outcome.Ok;
        _seen = now;
        return TProbe.Has(SeededBug.DeadByLaterClock) ? Outcome.NotFound : Outcome.Expired;
    }

    /// <summary>The expiry of what is written now.</summary>
    /// <param name="old">What it is where the session's records live for ever.</param>
    public long Renewed(long old)
    {
        return _life.IsForEver ? old : _life.ExpiryFrom(_isFresh ? _now : Read(RecordExpiry.Never));
    }

    /// <summary>
    /// Whether an expiry that is written now, as an import brings it, has passed already. Such a value takes nobody's
    /// place: who reads a word without its latch relies on it that what he finds was alive when it was written.
    /// </summary>
    public bool IsPast(long expiry) =>
        _life.IsMoment && Read(expiry) >= expiry && !TProbe.Has(SeededBug.PastInPlace);

    private long Read(long expiry)
    {
        TProbe.Point(ProbePoint.Clock);
        _now = _life.IsShort ? clock.Now : clock.TimeFor(expiry);
        _isFresh = true;
        return _now;
    }
}
