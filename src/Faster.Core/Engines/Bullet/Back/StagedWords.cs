using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using Faster.Invariants;
using Faster.Persistence;
using Faster.Probes;

namespace Faster.Engines.Bullet.Back;

/// <summary>
/// The words that a batch will store: it reads them as if they were stored, and others do not see them.
/// </summary>
/// <remarks>
/// Absolute values, one for each word however often it is staged, so storing them twice is storing them once. Not
/// thread-safe: it belongs to the holder of a part.
/// </remarks>
internal sealed unsafe class StagedWords
{
    private readonly PersistentRegion _region;
    private readonly byte* _bytes;
    private readonly long _length;
    private readonly long[] _offsets, _values;
    private readonly long[] _table; // of each place: the stamp of the batch and the index
    private readonly int _shift;
    private long _stamp = 1;

    /// <summary>Makes an empty list.</summary>
    /// <param name="region">The words' region.</param>
    /// <param name="capacity">The most words of a batch.</param>
    public StagedWords(PersistentRegion region, int capacity)
    {
        _bytes = region.Pointer;
        (_region, _length) = (region, region.Length);
        (_offsets, _values) = (new long[capacity], new long[capacity]);
        uint places = BitOperations.RoundUpToPowerOf2((uint)capacity * 2);
        _table = new long[places];
        _shift = 64 - BitOperations.Log2(places);
    }

    /// <summary>How many words are staged.</summary>
    public int Count { get; private set; }

    /// <summary>Where the staged words lie.</summary>
    public ReadOnlySpan<long> Offsets => _offsets.AsSpan(0, Count);

    /// <summary>What they will be.</summary>
    public ReadOnlySpan<long> Values => _values.AsSpan(0, Count);

    /// <summary>A word as it will be after the batch.</summary>
    /// <exception cref="DamagedDataException">No word is at the offset.</exception>
    public long Read(long offset)
    {
        if (!BackLayout.IsInside(offset, sizeof(long), _length))
            ThrowDamaged(offset, "an offset leads outside of the region");
        int index = Find(offset, out _);
        return index >= 0 ? _values[index] : *(long*)(_bytes + offset);
    }

    /// <summary>An entry, whose next offset must be read as a word.</summary>
    /// <exception cref="DamagedDataException">No entry is at the offset.</exception>
    public BackEntry EntryAt(long offset)
    {
        if (!BackLayout.IsInside(offset, BackEntry.HeaderBytes, _length))
            ThrowDamaged(offset, "an offset leads outside of the region");
        var entry = new BackEntry(_bytes + offset);
        if (!entry.IsInside(offset, _length)) ThrowDamaged(offset, "no entry is where an offset leads");
        return entry;
    }

    /// <summary>Reports bytes that no batch can have written.</summary>
    [DoesNotReturn]
    public void ThrowDamaged(long offset, string what) => BackLayout.ThrowDamaged(_region.Name, offset, what);

    /// <summary>Says what a word will be.</summary>
    public void Stage(long offset, long value)
    {
        Invariant.Check(
            BackLayout.IsInside(offset, sizeof(long), _length), $"a word lies in the region, not at {offset}");
        int index = Find(offset, out long place);
        if (index >= 0)
        {
            _values[index] = value;
            return;
        }

        _table[place] = (_stamp << 32) | (uint)Count;
        (_offsets[Count], _values[Count]) = (offset, value);
        Count++;
    }

    /// <summary>Adds to a word.</summary>
    public void Add(long offset, long change) => Stage(offset, Read(offset) + change);

    /// <summary>Stores all words.</summary>
    public void Store()
    {
        for (int i = 0; i < Count; i++)
        {
            Probe.Point(ProbePoint.BackWord);
            Volatile.Write(ref *(long*)(_bytes + _offsets[i]), _values[i]);
        }
    }

    /// <summary>Flushes all words.</summary>
    public void Flush()
    {
        for (int i = 0; i < Count; i++) _region.Flush(_offsets[i], sizeof(long));
    }

    /// <summary>Forgets all words.</summary>
    public void Clear()
    {
        Count = 0;
        if (++_stamp < int.MaxValue) return;
        Array.Clear(_table);
        _stamp = 1;
    }

    // The index of a word; -1 and the place for it if it is not staged.
    private int Find(long offset, out long place)
    {
        place = (long)(((ulong)offset * 0x9E37_79B9_7F4A_7C15) >> _shift);
        while (true)
        {
            long entry = _table[place];
            if (entry >> 32 != _stamp) return -1;
            if (_offsets[(int)entry] == offset) return (int)entry;
            place = (place + 1) & (_table.Length - 1);
        }
    }
}
