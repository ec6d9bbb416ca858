using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Chaining;

/// <summary>
/// The hash index that HotRing is compared with (paper 002, §2.1): as many heads of 8 bytes, each of a chain of
/// records, with the hash of a store, in the same native memory, and nothing else: no epochs, no deletion.
/// </summary>
/// <remarks>
/// Thread-safe: values are words, updated in place by one instruction; a lock serializes inserts, which go to the end
/// of a chain, as keys come. <see cref="Dispose"/> must not overlap other calls.
/// </remarks>
internal sealed unsafe class ChainingTable : IDisposable
{
    private const int RecordWords = 3;        // the next record, the key, the value
    private const nuint Alignment = 2 << 20;  // a huge page

    private readonly HashSeed _seed = HashSeed.Random();
    private readonly Lock _lock = new();
    private readonly long** _heads;
    private readonly long* _records;
    private readonly long _most;
    private readonly int _shift;
    private long _count;

    /// <summary>Makes an empty table.</summary>
    /// <param name="keys">How many keys it will hold; half as many more find a place.</param>
    /// <param name="buckets">How many chains it has; rounded up to a power of two.</param>
    public ChainingTable(long keys, long buckets)
    {
        int bits = Math.Max(1, (int)Math.Ceiling(Math.Log2(buckets)));
        _shift = 64 - bits;
        IndexBytes = sizeof(ulong) * (1L << bits);
        _most = keys + (keys / 2) + 1;
        _heads = (long**)Allocate(IndexBytes);
        NativeMemory.Clear(_heads, (nuint)IndexBytes);
        _records = (long*)Allocate(_most * RecordWords * sizeof(long));
    }

    /// <summary>The bytes of the heads.</summary>
    public long IndexBytes { get; }

    /// <summary>The bytes of records and heads that are in use.</summary>
    public long UsedBytes => IndexBytes + (_count * RecordWords * sizeof(long));

    /// <summary>The place of a key's value; null if the key is absent.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long* Find(long key)
    {
        for (long* record = (long*)Volatile.Read(ref *(nint*)Head(key)); record != null;)
        {
            if (record[1] == key)
                return record + 2;
            record = (long*)Volatile.Read(ref record[0]);
        }

        return null;
    }

    /// <summary>Sets the value of a key that was absent, or that another thread has inserted since.</summary>
    /// <exception cref="InvalidOperationException">The table is full.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Insert(long key, long value)
    {
        lock (_lock)
        {
            if (Find(key) is var place && place != null)
            {
                Volatile.Write(ref *place, value);
                return;
            }

            if (_count == _most)
                throw new InvalidOperationException("The chaining table is full: it was made for fewer keys.");
            long* record = _records + (_count++ * RecordWords);
            (record[0], record[1], record[2]) = (0, key, value);
            long* end = (long*)Head(key);
            while (*end != 0)
                end = (long*)*end;
            Volatile.Write(ref *end, (long)record);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.AlignedFree(_heads);
        NativeMemory.AlignedFree(_records);
    }

    private static byte* Allocate(long bytes)
    {
        void* block = NativeMemory.AlignedAlloc((nuint)bytes, Alignment);
        _ = Libc.TryAdviseHugePages(block, (nuint)bytes, huge: true);
        return (byte*)block;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private long** Head(long key) => _heads + (KeyHash.Of((ulong)key, _seed) >> _shift);
}
