using Faster.Memory;

namespace Faster.Index;

/// <summary>
/// One generation of the index's memory: an array of buckets, and the overflow buckets linked to them.
/// </summary>
/// <remarks>
/// Invariant: an overflow bucket belongs to the same table as the bucket that its chain begins with, so that the two go
/// together. Thread-safe, but for <see cref="Dispose"/>: the index calls it when the epoch says that nobody looks.
/// </remarks>
internal sealed unsafe class IndexTable : IDisposable
{
    /// <summary>An index is crowded when it has more than one overflow bucket for so many buckets.</summary>
    private const long CrowdedRatio = 5;

    private readonly NativeBlock _block;
    private long _overflowBuckets;
    private long _frozenBuckets;

    /// <summary>Reserves an empty table.</summary>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public IndexTable(long bucketCount)
    {
        BucketCount = bucketCount;
        _block = new NativeBlock(bucketCount * HashBucket.SizeInBytes);
        Buckets = (HashBucket*)_block.Pointer;
    }

    /// <summary>The first bucket.</summary>
    public HashBucket* Buckets { get; }

    /// <summary>How many buckets, overflow buckets not counted.</summary>
    public long BucketCount { get; }

    /// <summary>Where inserts take overflow buckets from.</summary>
    public OverflowPool Pool { get; } = new();

    /// <summary>
    /// Where splits and merges into this table take theirs from: apart, so that no insert takes what they need.
    /// </summary>
    public OverflowPool ResizePool { get; } = new();

    /// <summary>How many overflow buckets are linked.</summary>
    public long OverflowBuckets => Volatile.Read(ref _overflowBuckets);

    /// <summary>How many chains are frozen.</summary>
    public long FrozenBuckets => Volatile.Read(ref _frozenBuckets);

    /// <summary>The memory reserved, in bytes.</summary>
    public long Bytes => _block.Bytes + OverflowBytes;

    /// <summary>The memory reserved for overflow buckets, in bytes.</summary>
    public long OverflowBytes => Pool.Bytes + ResizePool.Bytes;

    /// <summary>
    /// Whether so many chains overflow that the index should grow: beyond a fill of some four fifths.
    /// </summary>
    public bool IsCrowded => OverflowBuckets > BucketCount / CrowdedRatio;

    /// <summary>Whether a bucket is one of the array.</summary>
    public bool Contains(HashBucket* bucket) => bucket >= Buckets && bucket < Buckets + BucketCount;

    /// <summary>Notes that overflow buckets were linked.</summary>
    public void CountLinked(long count) => Interlocked.Add(ref _overflowBuckets, count);

    /// <summary>Notes that a chain was frozen.</summary>
    public void CountFrozen() => Interlocked.Increment(ref _frozenBuckets);

    /// <inheritdoc/>
    public void Dispose()
    {
        _block.Dispose();
        Pool.Dispose();
        ResizePool.Dispose();
    }
}
