using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using Faster.Contracts;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Bare;

/// <summary>
/// A hash table with the index, the records and the hash of a store of 8-byte keys and values, in the same native
/// memory, and nothing else: no epochs, versions, regions, latches or log. What a store costs beside it is the price of
/// all that.
/// </summary>
/// <remarks>
/// Thread-safe: values are words, updated in place by one instruction. A lock serializes inserts; an entry is written
/// after its record. Keys are never removed. <see cref="Dispose"/> must not overlap other calls.
/// </remarks>
internal sealed unsafe class BareTable : IDisposable
{
    private const int BucketWords = 8, EntriesPerBucket = 7, RecordBytes = 24;
    private const int TagBits = 14, TagShift = 48;
    private const ulong AddressMask = (1UL << TagShift) - 1;
    private const double Fill = 0.5;          // as a store's index has it where memory is not short
    private const nuint Alignment = 2 << 20;  // a huge page

    private readonly HashSeed _seed = HashSeed.Random();
    private readonly Lock _lock = new();
    private readonly ulong* _buckets;
    private readonly long _bucketCount;
    private readonly long _allBuckets;
    private readonly byte* _records;
    private readonly long _recordBytes;
    private long _nextBucket;
    private long _nextRecord = RecordBytes;   // an entry of 0 is empty

    /// <summary>Makes an empty table.</summary>
    /// <param name="keys">How many keys it will hold; half as many more find a place.</param>
    public BareTable(long keys)
    {
        const int Spare = 1 << 10;
        _bucketCount = (long)Math.Ceiling(keys / (EntriesPerBucket * Fill));
        _allBuckets = _bucketCount + (keys / EntriesPerBucket) + Spare;
        _nextBucket = _bucketCount;
        _recordBytes = (keys + (keys / 2) + Spare) * RecordBytes;
        _buckets = (ulong*)Allocate(_allBuckets * BucketWords * sizeof(ulong));
        NativeMemory.Clear(_buckets, (nuint)(_allBuckets * BucketWords * sizeof(ulong)));
        _records = Allocate(_recordBytes);
        ((long*)_records)[1] = long.MinValue;
    }

    /// <summary>The bytes of records and index that are in use.</summary>
    public long UsedBytes => _nextRecord + (_nextBucket * BucketWords * sizeof(ulong));

    /// <summary>The hash of a key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong HashOf(long key) => KeyHash.Of((ulong)key, _seed);

    /// <summary>Fetches the first bucket of a hash into the processor's caches.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Prefetch(ulong hash)
    {
        if (Sse.IsSupported)
            Sse.Prefetch0(BucketOf(hash));
    }

    /// <summary>
    /// Fetches into the processor's caches the record to which the first entry leads that has a hash's tag.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void PrefetchRecord(ulong hash)
    {
        ulong* bucket = BucketOf(hash);
        uint match = Match(bucket, TagOf(hash));
        ulong word = match == 0 ? 0 : bucket[BitOperations.TrailingZeroCount(match)];
        if (Sse.IsSupported)
            Sse.Prefetch0(_records + (word & AddressMask));
    }

    /// <summary>The place of a key's value; null if the key is absent.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long* Find(long key, ulong hash)
    {
        ulong tag = TagOf(hash);
        for (ulong* bucket = BucketOf(hash); bucket != null; bucket = (ulong*)bucket[EntriesPerBucket])
        {
            for (uint match = Match(bucket, tag); match != 0; match &= match - 1)
            {
                byte* record = _records + (bucket[BitOperations.TrailingZeroCount(match)] & AddressMask);
                if (((long*)record)[1] == key)
                    return (long*)record + 2;
            }
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
            ulong hash = HashOf(key);
            if (Find(key, hash) is var place && place != null)
            {
                Volatile.Write(ref *place, value);
                return;
            }

            if (_nextRecord + RecordBytes > _recordBytes)
                throw new InvalidOperationException("The bare table is full: it was made for fewer keys.");
            var record = (long*)(_records + _nextRecord);
            (record[0], record[1], record[2]) = (0, key, value);
            Volatile.Write(ref *FreeEntry(BucketOf(hash)), TagOf(hash) | (ulong)_nextRecord);
            _nextRecord += RecordBytes;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.AlignedFree(_buckets);
        NativeMemory.AlignedFree(_records);
    }

    private static byte* Allocate(long bytes)
    {
        void* block = NativeMemory.AlignedAlloc((nuint)bytes, Alignment);
        _ = Libc.TryAdviseHugePages(block, (nuint)bytes, huge: true);
        return (byte*)block;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong TagOf(ulong hash) => hash >> (64 - TagBits) << TagShift;

    // A bit for each entry with a tag; the eighth word is no entry. An empty entry has the tag 0 and leads to the
    // record at 0, whose key is none that anybody asks for.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Match(ulong* bucket, ulong tag)
    {
        const uint AllEntries = (1 << EntriesPerBucket) - 1;
        if (Vector512.IsHardwareAccelerated)
        {
            Vector512<ulong> words = Vector512.Load(bucket) & Vector512.Create(~AddressMask);
            return (uint)Vector512.Equals(words, Vector512.Create(tag)).ExtractMostSignificantBits() & AllEntries;
        }

        Vector256<ulong> wanted = Vector256.Create(tag), kept = Vector256.Create(~AddressMask);
        uint low = Vector256.Equals(Vector256.Load(bucket) & kept, wanted).ExtractMostSignificantBits();
        uint high = Vector256.Equals(Vector256.Load(bucket + 4) & kept, wanted).ExtractMostSignificantBits();
        return (low | (high << 4)) & AllEntries;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong* BucketOf(ulong hash) =>
        _buckets + ((long)Math.BigMul(hash << TagBits, (ulong)_bucketCount, out _) * BucketWords);

    private ulong* FreeEntry(ulong* bucket)
    {
        for (;; bucket = (ulong*)bucket[EntriesPerBucket])
        {
            for (int i = 0; i < EntriesPerBucket; i++)
            {
                if (bucket[i] == 0)
                    return bucket + i;
            }

            if (bucket[EntriesPerBucket] != 0)
                continue;
            if (_nextBucket == _allBuckets)
                throw new InvalidOperationException("The bare table is full: it was made for fewer keys.");
            Volatile.Write(ref bucket[EntriesPerBucket], (ulong)(_buckets + (_nextBucket++ * BucketWords)));
        }
    }
}
