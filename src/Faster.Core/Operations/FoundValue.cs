using Faster.Log.Records;

namespace Faster.Operations;

/// <summary>
/// The value that a search has found where no thread changes it: in the read cache, in an immutable record, on disk, or
/// in the tier below (<see cref="KeySearch{TKey, TMode, TEntries, TOperation}"/>).
/// </summary>
internal ref struct FoundValue
{
    /// <summary>
    /// The value's bytes, or the head of its fragments: valid until the epoch is left, or the operation searches again.
    /// </summary>
    public ReadOnlySpan<byte> Value;

    /// <summary>Whether the value lies in fragments.</summary>
    public bool IsLarge;

    /// <summary>The address of the record, or of the key's tombstone, in its own log; 0: there is neither.</summary>
    public long Address;

    /// <summary>The record's expiry, or never.</summary>
    public long Expiry;

    /// <summary>Whether it is a copy of the read cache.</summary>
    public bool IsCached;

    /// <summary>Whether it was found in the tier below.</summary>
    public bool IsBelow;

    /// <summary>Whether it was read from the disk of the tier below.</summary>
    public bool IsFromDisk;

    /// <summary>Of the tier below: whether the tier above was not truncated since the key was absent there.</summary>
    public bool IsCurrent;

    /// <summary>Sets it to nothing.</summary>
    public void Clear()
    {
        this = default;
        Expiry = RecordExpiry.Never;
    }

    /// <summary>Sets it to what a walk on disk has found.</summary>
    public void Take(ChainReadResult disk)
    {
        this = default;
        Value = disk.Value;
        (IsLarge, Address, Expiry) = (disk.IsLarge, disk.Address, disk.Expiry);
    }
}
