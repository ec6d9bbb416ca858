using System.Runtime.InteropServices;
using Faster.Invariants;

namespace Faster.Compaction.Lookups;

/// <summary>
/// Records that may be superseded, each with its key and the address of the record on disk that may supersede it.
/// </summary>
/// <remarks>
/// <para>Invariant: entries fill the block from its start, images of keys from its end, and they never meet.</para>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed unsafe class LookupTable
{
    private readonly byte* _memory;
    private readonly long _bytes;
    private int _count;
    private long _keysAt;
    private long _first; // record

    /// <summary>Makes an empty table.</summary>
    /// <param name="memory">The memory for it, at a multiple of 8; outlives the table.</param>
    /// <param name="bytes">Its size; below 32 GiB.</param>
    public LookupTable(byte* memory, long bytes)
    {
        _memory = memory;
        _keysAt = _bytes = bytes & -sizeof(long);
    }

    /// <summary>The entries, which the caller may sort.</summary>
    public Span<Entry> Entries => new(_memory, _count);

    /// <summary>The bytes for further entries and keys.</summary>
    public long FreeBytes => _keysAt - ((long)_count * sizeof(Entry));

    /// <summary>The bytes of entries and keys.</summary>
    public long UsedBytes => _bytes - FreeBytes;

    /// <summary>Adds a record, unless the table is full.</summary>
    /// <param name="record">The record's address; in any order.</param>
    /// <param name="newer">The address of the record that may supersede it.</param>
    /// <param name="key">The key's slot, which is copied.</param>
    /// <param name="size">The slot's size in bytes, a multiple of 8.</param>
    public bool TryAdd(long record, long newer, byte* key, int size)
    {
        if (_count == 0) _first = record;
        Invariant.Check(
            size % 8 == 0 && (record - _first) % 8 == 0, $"a key of {size} bytes, records at {record} and {newer}");
        long unit = (record - _first) >> 3;
        if (unit != (int)unit || FreeBytes < size + sizeof(Entry)) return false;
        _keysAt -= size;
        Buffer.MemoryCopy(key, _memory + _keysAt, size, size);
        ((Entry*)_memory)[_count++] = new Entry(newer, (int)unit, (uint)(_keysAt >> 3));
        return true;
    }

    /// <summary>The address of an entry's record.</summary>
    public long RecordOf(in Entry entry) => _first + ((long)entry.Record << 3);

    /// <summary>The image of an entry's key slot.</summary>
    public byte* KeyOf(in Entry entry) => _memory + ((long)entry.Key << 3);

    /// <summary>Removes all entries.</summary>
    public void Clear() => (_count, _keysAt) = (0, _bytes);

    /// <summary>A record and the one that may supersede it.</summary>
    /// <param name="Newer">The address of the latter.</param>
    /// <param name="Record">The former's distance from the first one that was added, in units of 8 bytes.</param>
    /// <param name="Key">Where its key lies in the table, in units of 8 bytes.</param>
    [StructLayout(LayoutKind.Sequential)]
    public readonly record struct Entry(long Newer, int Record, uint Key) : IComparable<Entry>
    {
        /// <inheritdoc/>
        public int CompareTo(Entry other) => Newer.CompareTo(other.Newer);
    }
}
