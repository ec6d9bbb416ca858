using Faster.Contracts;

namespace Faster.Analytics.Scans;

/// <summary>A key of which a scan has found only deltas so far.</summary>
/// <param name="hash">The key's hash.</param>
/// <param name="key">The key's bytes.</param>
/// <param name="address">The address of the key's newest record.</param>
internal sealed class DeltaKey(ulong hash, byte[] key, long address)
{
    /// <summary>The key's hash.</summary>
    public ulong Hash => hash;

    /// <summary>The key's bytes.</summary>
    public byte[] Key => key;

    /// <summary>The address of the key's newest record.</summary>
    public long Address => address;

    /// <summary>The merge of the deltas found so far.</summary>
    public byte[] Value { get; set; } = [];

    /// <summary>The deltas found so far, merged, as a record.</summary>
    public RecordView View => new() { Key = key, Value = Value, Address = address };
}
