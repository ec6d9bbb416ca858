using System.Diagnostics.CodeAnalysis;

namespace Faster.Analytics;

/// <summary>
/// The keys of which a scan has met partial values only, so far, and what these make together: within a number of
/// bytes, and able to give up those of higher hashes, as <see cref="KeySet"/> is.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
/// <param name="bytes">The most bytes, but for a single key that needs more.</param>
internal sealed class PartialKeys(long bytes)
{
    // The most that an entry takes beside its key and value: its object, two arrays, its place in the dictionary, and
    // as much again while that grows.
    private const int EntryBytes = 200;

    private readonly Dictionary<byte[], PartialKey> _keys = new(KeyBytes.Comparer);

    /// <summary>The bytes that are held, at most.</summary>
    public long Bytes { get; private set; }

    /// <summary>The keys.</summary>
    public IEnumerable<PartialKey> All => _keys.Values;

    /// <summary>Forgets all keys.</summary>
    public void Clear()
    {
        _keys.Clear();
        Bytes = 0;
    }

    /// <summary>Finds a key.</summary>
    public bool TryGet(ReadOnlySpan<byte> key, [NotNullWhen(true)] out PartialKey? found) =>
        _keys.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(key, out found);

    /// <summary>Sets what a key has so far.</summary>
    /// <param name="hash">Its hash.</param>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    /// <param name="address">The address of its newest record, if it is new.</param>
    /// <param name="mayExceed">Whether to take it beyond the limit, too.</param>
    /// <returns>False when there is no room.</returns>
    public bool TrySet(ulong hash, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, long address, bool mayExceed)
    {
        bool isKnown = TryGet(key, out PartialKey? known);
        long more = isKnown ? value.Length - known!.Value.Length : EntryBytes + (long)key.Length + value.Length;
        bool isAlone = _keys.Count == (isKnown ? 1 : 0);
        if (more > 0 && Bytes + more > bytes && !mayExceed && !isAlone) return false;
        if (!isKnown)
        {
            known = new PartialKey(hash, key.ToArray(), address);
            _keys.Add(known.Key, known);
        }

        known!.Value = value.ToArray();
        Bytes += more;
        return true;
    }

    /// <summary>Takes a key out.</summary>
    public void Remove(PartialKey key)
    {
        if (_keys.Remove(key.Key)) Bytes -= EntryBytes + (long)key.Key.Length + key.Value.Length;
    }

    /// <summary>Gives up the keys whose hashes lie above one.</summary>
    public void RemoveAbove(ulong hash)
    {
        foreach (PartialKey key in _keys.Values)
            if (key.Hash > hash) Remove(key);
    }

    // Keys by their bytes, which need not be an array's to be looked for.
    private sealed class KeyBytes : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>
    {
        public static KeyBytes Comparer { get; } = new();

        public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();

        public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

        public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

        public int GetHashCode(byte[] obj) => GetHashCode(obj.AsSpan());

        public int GetHashCode(ReadOnlySpan<byte> alternate)
        {
            var hash = default(HashCode);
            hash.AddBytes(alternate);
            return hash.ToHashCode();
        }
    }
}
