using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// Where a key's record was found in its chain, and what was true then. The record, if any, is latched.
/// </summary>
internal unsafe ref struct ChainPosition
{
    /// <summary>The index entry of the chain, or null when there is none.</summary>
    public ulong* Slot;

    /// <summary>What the entry held.</summary>
    public ulong Word;

    /// <summary>The address of the chain's newest record in the log: what a new record leads to.</summary>
    public long Chain;

    /// <summary>The key's newest record in the mutable region, latched; null when there is none.</summary>
    public byte* Record;

    /// <summary>The record's address.</summary>
    public long Address;

    /// <summary>The record's header as it was before it was latched.</summary>
    public ulong Header;

    /// <summary>The record's value slot.</summary>
    public byte* Value;

    /// <summary>When the record expires, if it does.</summary>
    public long Expiry;

    /// <summary>Whether it has expired.</summary>
    public bool IsDead;

    /// <summary>Whether copies of the read cache stand between the entry and the chain.</summary>
    public readonly bool IsCached => Slot != null && EntryWord.AddressOf(Word) < 0;

    /// <summary>Whether the record says that the key was deleted, or has expired.</summary>
    public readonly bool IsTombstone => IsDead || (Header & RecordHeader.Tombstone) != 0;

    /// <summary>What is kept of the record's expiry by who writes for ever.</summary>
    public readonly long KeptExpiry => IsTombstone ? RecordExpiry.Never : Expiry;

    /// <summary>Whether the record may expire then.</summary>
    public readonly bool CanExpire(long expiry) =>
        expiry == RecordExpiry.Never || (Header & RecordHeader.Expiring) != 0;

    /// <summary>Makes the latched record expire then, as it can.</summary>
    /// <remarks>After its value: who reads without the latch reads them in the other order (docs/EXPIRY.md).</remarks>
    public readonly void Renew(long expiry)
    {
        if ((Header & RecordHeader.Expiring) != 0)
            Volatile.Write(ref *(long*)(Value - RecordExpiry.Size), expiry);
    }

    /// <summary>Whether the record's value lies in chunks: it is never changed in place.</summary>
    public readonly bool IsLarge => (Header & Log.RecordHeader.Large) != 0;

    /// <summary>Whether the record holds a partial value (§6.3).</summary>
    public readonly bool IsDelta => (Header & Log.RecordHeader.Delta) != 0;

    /// <summary>
    /// The capacity for a value that takes this record's place: one that outgrows its room gets half as much again.
    /// </summary>
    public readonly int CapacityFor(int length, int valueSize)
    {
        if (valueSize != 0 || Record == null || IsLarge) return length;
        int old = *(int*)(Value + 4);
        return length <= old ? length : (int)Math.Min((long)length + (length / 2), Array.MaxLength);
    }
}
