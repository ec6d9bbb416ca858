using Faster.Contracts;
using Faster.Invariants;

namespace Faster.Analytics.Scans;

/// <summary>
/// The keys that a pass of a scan has seen, bounded in bytes. Exact, because the keys themselves are compared; able to
/// drop keys with higher hashes.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>At least a quarter of the slots is empty, so every search ends.</item>
/// <item>The bytes in use are within the limit, but for a single key that needs more; half of them are for the content,
/// so that the other half suffices while the table is rebuilt.</item>
/// <item>Two keys are the same only if their bytes are: equal hashes are compared further.</item>
/// </list>
/// <para>Open addressing over hashes that are already well distributed. Keys of up to eight bytes are in the table,
/// longer ones in separate arrays. Not thread-safe.</para>
/// </remarks>
/// <param name="bytes">The maximum number of bytes, except for a single key that needs more.</param>
internal sealed class KeySet(long bytes)
{
    private const int MinSlots = 16, SlotBytes = 24, InlineKey = 8, MaxChunk = 64 << 10;
    private const int MaxSlots = 1 << 30; // the limits of arrays and of the hash bits used

    private readonly long _limit = bytes / 2;
    private readonly int _chunkBytes = (int)Math.Clamp(bytes / 32, 64, MaxChunk);
    private Slot[] _slots = new Slot[MinSlots];
    private List<byte[]> _chunks = [];
    private int _used;      // bytes of the last array
    private long _keyBytes; // of all arrays

    /// <summary>The number of keys.</summary>
    public int Count { get; private set; }

    /// <summary>The number of bytes in use.</summary>
    public long Bytes => _keyBytes + ((long)_slots.Length * SlotBytes);

    /// <summary>Forgets all keys.</summary>
    public void Clear()
    {
        Array.Clear(_slots);
        _chunks = [];
        (_used, _keyBytes, Count) = (0, 0, 0);
    }

    /// <summary>Adds a key.</summary>
    /// <param name="hash">The key's hash.</param>
    /// <param name="key">The key's bytes.</param>
    /// <param name="mayExceed">Whether to add it even beyond the limit.</param>
    /// <returns>Whether the key was added, was present, or has no space.</returns>
    public KeySetOutcome Add(ulong hash, ReadOnlySpan<byte> key, bool mayExceed = false)
    {
        int at = Find(hash, key);
        if (_slots[at].Size != 0) return KeySetOutcome.Present;
        if (Count >= _slots.Length / 4 * 3)
        {
            bool isMost = _slots.Length == MaxSlots || _keyBytes + (2L * _slots.Length * SlotBytes) > _limit;
            if (!mayExceed && isMost) return KeySetOutcome.Full;
            Rebuild(_slots.Length * 2, ulong.MaxValue);
            at = Find(hash, key);
        }

        if (!TryPlace(key, mayExceed || Count == 0, out ulong word)) return KeySetOutcome.Full;
        Invariant.DebugCheck(
            Count < _slots.Length / 4 * 3, $"a quarter of {_slots.Length} slots is empty; {Count} are not");
        _slots[at] = new Slot { Hash = hash, Word = word, Size = key.Length + 1L };
        Count++;
        return KeySetOutcome.Added;
    }

    /// <summary>Removes the keys whose hashes are above a given one.</summary>
    public void RemoveAbove(ulong hash) => Rebuild(_slots.Length, hash);

    private int Find(ulong hash, ReadOnlySpan<byte> key)
    {
        int mask = _slots.Length - 1;
        for (int at = (int)(KeyHash.Spread(hash) >> 33) & mask; ; at = (at + 1) & mask)
        {
            ref Slot slot = ref _slots[at];
            if (slot.Size == 0) return at;
            if (slot.Hash == hash && slot.Size == key.Length + 1L && Holds(slot, key)) return at;
        }
    }

    private bool Holds(in Slot slot, ReadOnlySpan<byte> key) =>
        key.Length <= InlineKey ? slot.Word == Inline(key) : KeyOf(slot).SequenceEqual(key);

    private ReadOnlySpan<byte> KeyOf(in Slot slot) =>
        _chunks[(int)(slot.Word >> 32)].AsSpan((int)(uint)slot.Word, (int)(slot.Size - 1));

    private static ulong Inline(ReadOnlySpan<byte> key)
    {
        ulong word = 0;
        for (int i = 0; i < key.Length; i++) word |= (ulong)key[i] << (8 * i);
        return word;
    }

    private bool TryPlace(ReadOnlySpan<byte> key, bool mayExceed, out ulong word)
    {
        word = 0;
        if (key.Length <= InlineKey)
        {
            word = Inline(key);
            return true;
        }

        if (_chunks.Count == 0 || _chunks[^1].Length - _used < key.Length)
        {
            int length = Math.Max(_chunkBytes, key.Length);
            if (!mayExceed && Bytes + length > _limit) return false;
            _chunks.Add(new byte[length]);
            _used = 0;
            _keyBytes += length;
        }

        key.CopyTo(_chunks[^1].AsSpan(_used));
        word = ((ulong)(uint)(_chunks.Count - 1) << 32) | (uint)_used;
        _used += key.Length;
        return true;
    }

    private void Rebuild(int slots, ulong last)
    {
        Slot[] old = _slots;
        List<byte[]> keys = _chunks;
        bool keeps = last == ulong.MaxValue;
        _slots = new Slot[slots];
        if (!keeps) (_chunks, _used, _keyBytes) = ([], 0, 0);
        Count = 0;
        int mask = slots - 1;
        foreach (Slot slot in old)
        {
            if (slot.Size == 0 || slot.Hash > last) continue;
            Slot moved = slot;
            if (!keeps && slot.Size - 1 > InlineKey)
            {
                ReadOnlySpan<byte> key =
                    keys[(int)(slot.Word >> 32)].AsSpan((int)(uint)slot.Word, (int)(slot.Size - 1));
                _ = TryPlace(key, mayExceed: true, out moved.Word);
            }

            int at = (int)(KeyHash.Spread(slot.Hash) >> 33) & mask;
            while (_slots[at].Size != 0) at = (at + 1) & mask;
            _slots[at] = moved;
            Count++;
        }
    }

    private struct Slot
    {
        public ulong Hash;
        public ulong Word; // the key, or its array and offset
        public long Size;  // of the key, plus one; 0: no key
    }
}

/// <summary>The result of adding a key.</summary>
internal enum KeySetOutcome
{
    /// <summary>The key was added.</summary>
    Added,

    /// <summary>The key was already present.</summary>
    Present,

    /// <summary>There is no space for the key.</summary>
    Full,
}
