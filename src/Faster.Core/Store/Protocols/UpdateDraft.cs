using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>What a read-modify-write has found out for the record that it makes, beside the value.</summary>
internal struct UpdateDraft()
{
    /// <summary>Flags for its header.</summary>
    public ulong Flags;

    /// <summary>When it expires, if the session writes for ever.</summary>
    public long Expiry = RecordExpiry.Never;

    /// <summary>
    /// When the record expires of which the value was made, if nothing keeps that one from expiring before the new one
    /// is linked; else never.
    /// </summary>
    public long AliveUntil = RecordExpiry.Never;

    /// <summary>The value is to be made of a record that nobody changes any more, if it is alive.</summary>
    /// <inheritdoc cref="SessionClock{TProbe}.Judge"/>
    public Outcome Begin<TProbe>(SessionClock<TProbe> clock, long expiry)
        where TProbe : struct, IProbe
    {
        Outcome life = clock.Judge(expiry);
        if (life == Outcome.Ok) Expiry = AliveUntil = expiry;
        return life;
    }

    /// <summary>
    /// Whether the value was merged from one that expires then and partial ones. The record gets room for an expiry,
    /// and expires never (<see cref="MergedLink{TProbe}"/>).
    /// </summary>
    public bool IsMerged { get; private set; }

    /// <summary>The value was merged from one that expires and partial ones.</summary>
    public void MergedUntil(long expiry) => (Expiry, AliveUntil, IsMerged) = (expiry, expiry, true);

    /// <summary>That record's value turns out to be gone, or what is made of it stands in any case.</summary>
    public void Forget() => (Expiry, AliveUntil, IsMerged) = (RecordExpiry.Never, RecordExpiry.Never, false);
}
