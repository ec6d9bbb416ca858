namespace Faster.Analytics;

/// <summary>A key of which a scan has met partial values only, so far.</summary>
/// <param name="hash">Its hash.</param>
/// <param name="key">Its bytes.</param>
/// <param name="address">The address of its newest record.</param>
internal sealed class PartialKey(ulong hash, byte[] key, long address)
{
    /// <summary>Its hash.</summary>
    public ulong Hash => hash;

    /// <summary>Its bytes.</summary>
    public byte[] Key => key;

    /// <summary>The address of its newest record.</summary>
    public long Address => address;

    /// <summary>What its values make, merged.</summary>
    public byte[] Value { get; set; } = [];

    /// <summary>What there is of it, as a record.</summary>
    public RecordView View => new(key, Value, address);
}
