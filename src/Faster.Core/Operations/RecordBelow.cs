namespace Faster.Operations;

/// <summary>A record that an operation has found in the tier below (<see cref="SearchBelow"/>).</summary>
internal ref struct RecordBelow
{
    /// <summary>
    /// The value's bytes, or its head: valid until the epoch is left, or the operation searches again.
    /// </summary>
    public ReadOnlySpan<byte> Value;

    /// <summary>Whether the value lies in fragments (<see cref="Large.LargeValues.FindBelow"/>).</summary>
    public bool IsLarge;

    /// <summary>The address of the record, or of the key's tombstone, in its own log; 0: there is neither.</summary>
    public long Address;

    /// <summary>The record's expiry, or never.</summary>
    public long Expiry;

    /// <summary>Whether the record was read from disk.</summary>
    public bool IsFromDisk;

    /// <summary>Whether the tier above was not truncated since the key was found absent there.</summary>
    public bool IsCurrent;
}
