using Faster.Contracts;
using Faster.Index.Entries;

namespace Faster.Engines.Transactional.Locks;

/// <summary>
/// A key in an attempt of a transaction: its hash, what the attempt has found and locked of it, and the record that the
/// attempt has made for it. Not thread-safe: it belongs to the attempt.
/// </summary>
internal unsafe struct LockedKey
{
    /// <summary>The hash, which decides when the key is locked.</summary>
    public ulong Hash;

    /// <summary>The key's place in the key set.</summary>
    public int Key;

    /// <summary>What the transaction may do with the record, and so how it is locked.</summary>
    public RecordAccess Access;

    /// <summary>Whether the word of absent keys is exclusive.</summary>
    public bool IsAbsentExclusive;

    /// <summary>Whether <see cref="Made"/> is linked, in the place of no record.</summary>
    public bool IsLinked;

    /// <summary>The index entry, located in the attempt's epoch.</summary>
    public EntryRef Entry;

    /// <summary>The record, locked; null if there is none.</summary>
    public byte* Record;

    /// <summary>The word of absent keys, if this key has locked it; null if another one has, or none.</summary>
    public ulong* Absent;

    /// <summary>A new record for the key, its word exclusive; or null.</summary>
    public byte* Made;

    /// <summary>A key that is written or only read.</summary>
    public LockedKey(ulong hash, int key, RecordAccess access) => (Hash, Key, Access) = (hash, key, access);

    /// <summary>Begins an attempt: nothing is located, found or locked.</summary>
    public void Begin()
    {
        (IsAbsentExclusive, IsLinked) = (false, false);
        Record = Made = null;
        Absent = null;
    }

    /// <summary>Whether the transaction may change the record.</summary>
    public readonly bool IsExclusive => Access == RecordAccess.Write;
}
