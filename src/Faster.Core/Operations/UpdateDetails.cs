using Faster.Contracts;
using Faster.Expiry;
using Faster.Log.Records;
using Faster.Operations.Merging;

namespace Faster.Operations;

/// <summary>What a read-modify-write has determined for the new record in addition to its value.</summary>
internal struct UpdateDetails()
{
    /// <summary>Flags for the new record's header.</summary>
    public ulong Flags;

    /// <summary>
    /// The new record's expiry: what it is without a time to live of the session, until that is applied.
    /// </summary>
    public long Expiry = RecordExpiry.Never;

    /// <summary>
    /// The expiry of the record that the value was made from, if that record may expire before the new one is linked;
    /// otherwise never.
    /// </summary>
    public long AliveUntil = RecordExpiry.Never;

    /// <summary>Begins with an immutable old record, and judges whether it is alive.</summary>
    /// <inheritdoc cref="SessionClock.Judge"/>
    public Outcome Begin(SessionClock clock, long expiry)
    {
        Outcome life = clock.Judge(expiry);
        if (life == Outcome.Ok) Expiry = AliveUntil = expiry;
        return life;
    }

    /// <summary>
    /// Whether the value was merged from deltas and a whole value that expires. The new record gets space for an
    /// expiry, and never expires (<see cref="MergedLink"/>).
    /// </summary>
    public bool IsMerged { get; private set; }

    /// <summary>Notes that the value was merged from deltas and a whole value with an expiry.</summary>
    public void MergedUntil(long expiry) => (Expiry, AliveUntil, IsMerged) = (expiry, expiry, true);

    /// <summary>
    /// Drops the dependence on the old record: its value is gone, or the new value is valid without it.
    /// </summary>
    public void Forget() => (Expiry, AliveUntil, IsMerged) = (RecordExpiry.Never, RecordExpiry.Never, false);
}
