using Faster.Index.Entries;
using Faster.Log.Records;

namespace Faster.Chains;

/// <summary>
/// The position at which a key's record was found in its chain, and what was true then. The record, if any, is latched.
/// </summary>
internal unsafe ref struct ChainPosition
{
    /// <summary>The chain's entry in the index, or the place for one.</summary>
    public EntryRef Entry;

    /// <summary>The address of the chain's newest record in the log: the previous address of a new record.</summary>
    public long Chain;

    /// <summary>
    /// Without a record: where the search goes on below the mutable region. No record of the key is between
    /// <see cref="Chain"/> and this address.
    /// </summary>
    public long Rest;

    /// <summary>The key's newest record in the mutable region, latched; null when there is none.</summary>
    public byte* Record;

    /// <summary>The record's address.</summary>
    public long Address;

    /// <summary>The record's header as it was before it was latched.</summary>
    public ulong Header;

    /// <summary>The record's value slot.</summary>
    public byte* Value;

    /// <summary>The record's expiry, or <see cref="RecordExpiry.Never"/>.</summary>
    public long Expiry;

    /// <summary>Whether the record has expired.</summary>
    public bool IsDead;

    /// <summary>Whether copies of the read cache stand between the entry and the chain.</summary>
    public readonly bool IsCached => Entry.Address < 0;

    /// <summary>Whether the record says that the key was deleted, or has expired.</summary>
    public readonly bool IsTombstone => IsDead || (Header & RecordHeader.Tombstone) != 0;

    /// <summary>
    /// The expiry that a write without a time to live retains: the record's, unless the record is dead.
    /// </summary>
    public readonly long KeptExpiry => IsTombstone ? RecordExpiry.Never : Expiry;

    /// <summary>Whether the record can hold an expiry: it has a field for one, or needs none.</summary>
    public readonly bool CanExpire(long expiry) =>
        expiry == RecordExpiry.Never || (Header & RecordHeader.Expiring) != 0;

    /// <summary>Sets the latched record's expiry, if it has a field for one.</summary>
    /// <remarks>
    /// Written after the value: a reader without the latch reads the two in the opposite order
    /// (docs/internals/expiring-updates.md).
    /// </remarks>
    public readonly void Renew(long expiry)
    {
        if ((Header & RecordHeader.Expiring) != 0)
            Volatile.Write(ref *(long*)(Value - RecordExpiry.Size), expiry);
    }

    /// <summary>Whether the record's value lies in fragments: such a record is never changed in place.</summary>
    public readonly bool IsLarge => (Header & RecordHeader.Large) != 0;

    /// <summary>Whether the record is a delta (§6.3).</summary>
    public readonly bool IsDelta => (Header & RecordHeader.Delta) != 0;

    /// <summary>
    /// The capacity for a value that replaces this record's: a value that outgrows the old capacity gets half as much
    /// again.
    /// </summary>
    public readonly int CapacityFor(int length, int valueSize)
    {
        if (valueSize != 0 || Record == null || IsLarge) return length;
        int old = ValueLayout.Capacity(Value);
        return length <= old ? length : (int)Math.Min((long)length + (length / 2), Array.MaxLength);
    }
}
