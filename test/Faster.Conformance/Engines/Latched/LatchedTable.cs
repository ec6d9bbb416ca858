using System.Runtime.InteropServices;
using Faster.Contracts;

namespace Faster.Conformance.Engines.Latched;

/// <summary>
/// A hash table of records in native memory, chained by bucket. A record is the address of the next one, the hash, its
/// size, the value's extent, the key slot and the value's bytes; each is a multiple of 8 bytes.
/// </summary>
/// <remarks>
/// Every member but <see cref="Latch"/>, <see cref="ThrowIfClosed"/> and <see cref="Dispose"/> is called by the thread
/// that holds the latch.
/// </remarks>
public sealed unsafe class LatchedTable : IDisposable
{
    private const int HashOffset = 8;
    private const int SizeOffset = 16;
    private const int ExtentOffset = 24;
    private const int KeyOffset = 32;

    private readonly HashSeed _seed = HashSeed.Random();
    private readonly int _valueSize;
    private readonly long _budget;
    private byte** _buckets;
    private ulong _bucketCount = 16;
    private ulong _records;
    private long _bytes;
    private bool _isBusy;

    /// <summary>Makes an empty table.</summary>
    /// <param name="schema">The sizes of keys and values.</param>
    /// <param name="options">The options, with the most bytes of records.</param>
    internal LatchedTable(RecordSchema schema, LatchedOptions options)
    {
        (Schema, _valueSize, _budget, Options) = (schema, schema.ValueSize, options.MemoryBudget.Bytes, options);
        _buckets = NewBuckets(_bucketCount);
    }

    /// <summary>The sizes of keys and values.</summary>
    internal RecordSchema Schema { get; }

    /// <summary>The options.</summary>
    internal LatchedOptions Options { get; }

    /// <summary>Held by the one call that is under way.</summary>
    internal Lock Latch { get; } = new();

    /// <summary>
    /// Begins a call, and refuses one inside a user function, which would find a record half changed.
    /// </summary>
    internal Call Begin()
    {
        ThrowIfClosed();
        if (_isBusy) throw new SessionMisuseException("A user function has called the store that runs it.");
        _isBusy = true;
        return new Call(this);
    }

    /// <summary>Throws if the table is closed.</summary>
    public void ThrowIfClosed() => ObjectDisposedException.ThrowIf(_buckets is null, this);

    /// <summary>Finds a key.</summary>
    /// <returns>The word that holds the address of the key's record, or 0 where it would be linked.</returns>
    public byte** Find<TKey>(scoped TKey key, out ulong hash)
        where TKey : struct, IKey, allows ref struct
    {
        hash = key.Hash(_seed);
        byte** link = _buckets + (hash & (_bucketCount - 1));
        while (*link is not null && !(HashOf(*link) == hash && key.Matches(*link + KeyOffset))) link = (byte**)*link;
        return link;
    }

    /// <summary>Returns the value of a record.</summary>
    public ValueSlot ValueOf<TKey>(byte* record, scoped TKey key)
        where TKey : struct, IKey, allows ref struct
    {
        byte* bytes = record + KeyOffset + key.SlotSize;
        return _valueSize != 0
            ? new ValueSlot(bytes, _valueSize)
            : new ValueSlot(bytes, (ValueExtent*)(record + ExtentOffset));
    }

    /// <summary>Makes a record that no other call can see, with a zeroed value.</summary>
    /// <exception cref="LimitExceededException">The memory budget is used up.</exception>
    public byte* NewRecord<TKey>(scoped TKey key, ulong hash, int length)
        where TKey : struct, IKey, allows ref struct
    {
        int capacity = (length + 7) & ~7;
        long size = KeyOffset + (long)key.SlotSize + capacity;
        if (_bytes + size > _budget) throw new LimitExceededException("The memory budget of the store is used up.");
        byte* record = (byte*)NativeMemory.AlignedAlloc((nuint)size, 8);
        NativeMemory.Clear(record, (nuint)size);
        *(ulong*)(record + HashOffset) = hash;
        *(long*)(record + SizeOffset) = size;
        *(ValueExtent*)(record + ExtentOffset) = new ValueExtent { Length = length, Capacity = capacity };
        key.WriteTo(record + KeyOffset);
        _bytes += size;
        return record;
    }

    /// <summary>Links a record in the place of the one that a word points to, or at the end of its chain.</summary>
    public void Link(byte** link, byte* record)
    {
        byte* old = *link;
        *(byte**)record = old is null ? null : *(byte**)old;
        *link = record;
        if (old is not null) Free(old);
        else if (++_records > _bucketCount) Grow();
    }

    /// <summary>Removes the record that a word points to.</summary>
    public void Unlink(byte** link)
    {
        byte* old = *link;
        *link = *(byte**)old;
        _records--;
        Free(old);
    }

    /// <summary>Frees a record that is not linked.</summary>
    public void Free(byte* record)
    {
        _bytes -= *(long*)(record + SizeOffset);
        NativeMemory.AlignedFree(record);
    }

    /// <summary>Frees all memory. Later calls are refused.</summary>
    public void Dispose()
    {
        lock (Latch)
        {
            if (_buckets is null) return;
            if (_isBusy) throw new SessionMisuseException("A user function has closed the store that runs it.");
            for (ulong i = 0; i < _bucketCount; i++)
            {
                while (_buckets[i] is not null) Unlink(_buckets + i);
            }

            NativeMemory.Free(_buckets);
            _buckets = null;
        }
    }

    private static ulong HashOf(byte* record) => *(ulong*)(record + HashOffset);

    private static byte** NewBuckets(ulong count) =>
        (byte**)NativeMemory.AllocZeroed((nuint)count, (nuint)sizeof(byte*));

    private void Grow()
    {
        ulong count = _bucketCount * 2;
        byte** buckets = NewBuckets(count);
        for (ulong i = 0; i < _bucketCount; i++)
        {
            byte* next;
            for (byte* record = _buckets[i]; record is not null; record = next)
            {
                next = *(byte**)record;
                byte** bucket = buckets + (HashOf(record) & (count - 1));
                *(byte**)record = *bucket;
                *bucket = record;
            }
        }

        NativeMemory.Free(_buckets);
        _buckets = buckets;
        _bucketCount = count;
    }

    /// <summary>A call under way.</summary>
    internal readonly ref struct Call(LatchedTable table)
    {
        public void Dispose() => table._isBusy = false;
    }
}
