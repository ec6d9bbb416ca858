namespace Faster.Expiry;

/// <summary>
/// Which updates of one-word values need no latch in a store whose records may expire
/// (docs/internals/unlatched-expiry.md). Belongs to the store's <see cref="StoreClock"/>.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Without <see cref="AreOver"/>, no live record that has no space for an expiry is replaced by a copy of its
/// value, so such records are updated without the latch as in any store.</item>
/// <item>Without <see cref="MayMix"/>, a record's expiry changes in place only to what <see cref="OnlyLife"/> makes of
/// the time, so a session with that time to live updates without the latch a value whose expiry need not change.</item>
/// </list>
/// <para>Each change is published, and then the epoch awaited, before what relies on it begins. Thread-safe.</para>
/// </remarks>
internal sealed class UnlatchedUpdates
{
    private const long Several = -1;

    private long _life; // the only time to live; 0 if there is none yet
    private int _ending;
    private volatile bool _isMixed, _areOver;

    /// <summary>The only time to live of sessions, in milliseconds; 0 if there is none, or several.</summary>
    public long OnlyLife => Math.Max(Volatile.Read(ref _life), 0);

    /// <summary>Whether sessions have had several, as published.</summary>
    public bool HasSeveral => Volatile.Read(ref _life) == Several;

    /// <summary>Whether all updates are to take the latch, as published.</summary>
    public bool AreEnding => Volatile.Read(ref _ending) != 0;

    /// <summary>Whether all updates take the latch, until the store is closed.</summary>
    public bool AreOver => _areOver;

    /// <summary>Whether a record may get any expiry in place.</summary>
    public bool MayMix => _isMixed || _areOver || Volatile.Read(ref _life) == 0;

    /// <summary>Adds the time to live of a session. The caller keeps others from doing so meanwhile.</summary>
    /// <param name="life">In milliseconds.</param>
    /// <returns>Whether the epoch must be awaited before the session writes.</returns>
    public bool Add(long life)
    {
        if (_life == life || _life == Several) return false;
        Volatile.Write(ref _life, _life == 0 ? life : Several);
        return true;
    }

    /// <summary>Called when the epoch has been awaited since <see cref="HasSeveral"/> was published.</summary>
    public void Mix() => _isMixed = true;

    /// <summary>Publishes that all updates are to take the latch.</summary>
    /// <returns>Whether the caller must have <see cref="End"/> called when the epoch is safe.</returns>
    public bool TryBeginEnd() => Interlocked.Exchange(ref _ending, 1) == 0;

    /// <summary>Called when all sessions that may not know of it have left the epoch.</summary>
    public void End() => _areOver = true;
}
