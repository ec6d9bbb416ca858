namespace Faster.Analytics;

/// <summary>
/// The keys that a pass of a scan has seen, within a number of bytes: exact, for the keys themselves are compared, and
/// able to give up those of higher hashes.
/// </summary>
/// <remarks>
/// Open addressing over hashes that are spread already; keys of up to eight bytes lie in the table, longer ones in
/// chunks beside it. Half of the bytes are for what is held, so that the other half suffices while the table is made
/// anew. Not thread-safe.
/// </remarks>
/// <param name="bytes">The most bytes, but for a single key that needs more.</param>
internal sealed class KeySet(long bytes)
{
    private const int LeastSlots = 16, SlotBytes = 24, InlineKey = 8, MostChunk = 64 << 10;
    private const int MostSlots = 1 << 30; // as many as an array can have, and the hash tells apart

    private readonly long _limit = bytes / 2;
    private readonly int _chunkBytes = (int)Math.Clamp(bytes / 32, 64, MostChunk);
    private Slot[] _slots = new Slot[LeastSlots];
    private List<byte[]> _chunks = [];
    private int _used;      // of the last chunk
    private long _keyBytes; // of all chunks

    /// <summary>How many keys there are.</summary>
    public int Count { get; private set; }

    /// <summary>The bytes that are held.</summary>
    public long Bytes => _keyBytes + ((long)_slots.Length * SlotBytes);

    /// <summary>Forgets all keys.</summary>
    public void Clear()
    {
        Array.Clear(_slots);
        _chunks = [];
        (_used, _keyBytes, Count) = (0, 0, 0);
    }

    /// <summary>Adds a key.</summary>
    /// <param name="hash">Its hash.</param>
    /// <param name="key">The key.</param>
    /// <param name="mayExceed">Whether to add it beyond the limit, too.</param>
    /// <returns>Whether it was added, was there, or has no room.</returns>
    public KeySetOutcome Add(ulong hash, ReadOnlySpan<byte> key, bool mayExceed = false)
    {
        int at = Find(hash, key);
        if (_slots[at].Size != 0) return KeySetOutcome.Present;
        if (Count >= _slots.Length / 4 * 3)
        {
            bool isMost = _slots.Length == MostSlots || _keyBytes + (2L * _slots.Length * SlotBytes) > _limit;
            if (!mayExceed && isMost) return KeySetOutcome.Full;
            Rebuild(_slots.Length * 2, ulong.MaxValue);
            at = Find(hash, key);
        }

        if (!TryPlace(key, mayExceed || Count == 0, out ulong word)) return KeySetOutcome.Full;
        _slots[at] = new Slot { Hash = hash, Word = word, Size = key.Length + 1L };
        Count++;
        return KeySetOutcome.Added;
    }

    /// <summary>Gives up the keys whose hashes lie above one.</summary>
    public void RemoveAbove(ulong hash) => Rebuild(_slots.Length, hash);

    private int Find(ulong hash, ReadOnlySpan<byte> key)
    {
        int mask = _slots.Length - 1;
        for (int at = (int)((hash * 0x9E3779B97F4A7C15) >> 33) & mask; ; at = (at + 1) & mask)
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

            int at = (int)((slot.Hash * 0x9E3779B97F4A7C15) >> 33) & mask;
            while (_slots[at].Size != 0) at = (at + 1) & mask;
            _slots[at] = moved;
            Count++;
        }
    }

    private struct Slot
    {
        public ulong Hash;
        public ulong Word; // the key, or its chunk and place
        public long Size;  // of the key, and one; 0: no key
    }
}

/// <summary>What came of adding a key.</summary>
internal enum KeySetOutcome
{
    /// <summary>It is new.</summary>
    Added,

    /// <summary>It was there.</summary>
    Present,

    /// <summary>There is no room.</summary>
    Full,
}
