using System.Diagnostics.CodeAnalysis;

namespace Faster.Analytics.Scans;

/// <summary>
/// The keys of which a scan has found only deltas so far, with the merge of these. Bounded in bytes, and able to drop
/// keys with higher hashes, as <see cref="KeySet"/> is.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The bytes in use are those of the keys, and within the limit, but for a single key that needs more.</item>
/// <item>A key is listed until a whole value, a tombstone or the range's begin has ended its deltas.</item>
/// </list>
/// <para>Not thread-safe.</para>
/// </remarks>
/// <param name="bytes">The maximum number of bytes, except for a single key that needs more.</param>
internal sealed class DeltaKeys(long bytes)
{
    // The maximum size of an entry in addition to its key and value: its object, two arrays, its place in the
    // dictionary, and as much again while the dictionary grows.
    private const int EntryBytes = 200;

    private readonly Dictionary<byte[], DeltaKey> _keys = new(KeyBytes.Comparer);

    /// <summary>An upper bound on the number of bytes in use.</summary>
    public long Bytes { get; private set; }

    /// <summary>All keys, in no particular order.</summary>
    public IEnumerable<DeltaKey> All => _keys.Values;

    /// <summary>Forgets all keys.</summary>
    public void Clear()
    {
        _keys.Clear();
        Bytes = 0;
    }

    /// <summary>Finds a key.</summary>
    public bool TryGet(ReadOnlySpan<byte> key, [NotNullWhen(true)] out DeltaKey? found) =>
        _keys.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(key, out found);

    /// <summary>Sets the merged value that a key has so far.</summary>
    /// <param name="hash">The key's hash.</param>
    /// <param name="key">The key's bytes.</param>
    /// <param name="value">The merged value.</param>
    /// <param name="address">The address of the key's newest record, if the key is new.</param>
    /// <param name="mayExceed">Whether to set it even beyond the limit.</param>
    /// <returns>False if there is no space.</returns>
    public bool TrySet(ulong hash, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, long address, bool mayExceed)
    {
        bool isKnown = TryGet(key, out DeltaKey? known);
        long more = isKnown ? value.Length - known!.Value.Length : EntryBytes + (long)key.Length + value.Length;
        bool isAlone = _keys.Count == (isKnown ? 1 : 0);
        if (more > 0 && Bytes + more > bytes && !mayExceed && !isAlone) return false;
        if (!isKnown)
        {
            known = new DeltaKey(hash, key.ToArray(), address);
            _keys.Add(known.Key, known);
        }

        known!.Value = value.ToArray();
        Bytes += more;
        return true;
    }

    /// <summary>Removes a key.</summary>
    public void Remove(DeltaKey key)
    {
        if (_keys.Remove(key.Key)) Bytes -= EntryBytes + (long)key.Key.Length + key.Value.Length;
    }

    /// <summary>Removes the keys whose hashes are above a given one.</summary>
    public void RemoveAbove(ulong hash)
    {
        foreach (DeltaKey key in _keys.Values)
            if (key.Hash > hash) Remove(key);
    }
}
