using Faster.Memory;

namespace Faster.Index;

/// <summary>
/// One generation of the index's memory: an array of buckets, and the overflow buckets linked to them.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>An overflow bucket belongs to the same table as the first bucket of its chain, so that both are freed
/// together.</item>
/// </list>
/// <para>Thread-safe, except for <see cref="Dispose"/>: the index calls it when the epoch guarantees that no thread
/// reads the table.</para>
/// </remarks>
internal sealed unsafe class IndexTable : IDisposable
{
    /// <summary>An index is crowded when it has more than one overflow bucket for this number of buckets.</summary>
    private const long CrowdedRatio = 5;

    private readonly NativeBlock _block;
    private long _overflowBuckets;
    private long _sharedTagBuckets;

    /// <summary>Reserves memory for an empty table.</summary>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public IndexTable(long bucketCount)
    {
        BucketCount = bucketCount;
        _block = new NativeBlock(bucketCount * HashBucket.SizeInBytes);
        Buckets = (HashBucket*)_block.Pointer;
    }

    /// <summary>The first bucket.</summary>
    public HashBucket* Buckets { get; }

    /// <summary>The number of buckets, without overflow buckets.</summary>
    public long BucketCount { get; }

    /// <summary>The pool of overflow buckets for inserts.</summary>
    public OverflowPool Pool { get; } = new();

    /// <summary>
    /// The pool of overflow buckets for splits and joins into this table: separate, so that no insert takes what they
    /// need.
    /// </summary>
    public OverflowPool ResizePool { get; } = new();

    /// <summary>The number of linked overflow buckets.</summary>
    public long OverflowBuckets => Volatile.Read(ref _overflowBuckets);

    /// <summary>The number of chains with shared tags.</summary>
    public long SharedTagBuckets => Volatile.Read(ref _sharedTagBuckets);

    /// <summary>The reserved memory in bytes.</summary>
    public long Bytes => _block.Bytes + OverflowBytes;

    /// <summary>The memory reserved for overflow buckets in bytes.</summary>
    public long OverflowBytes => Pool.Bytes + ResizePool.Bytes;

    /// <summary>
    /// Whether so many chains overflow that the index should grow: above a fill of about four fifths.
    /// </summary>
    public bool IsCrowded => OverflowBuckets > BucketCount / CrowdedRatio;

    /// <summary>Whether a bucket belongs to the array.</summary>
    public bool Contains(HashBucket* bucket) => bucket >= Buckets && bucket < Buckets + BucketCount;

    /// <summary>Touches the memory of all buckets, overflow buckets aside.</summary>
    public void Populate() => _block.Populate(0, _block.Bytes);

    /// <summary>Counts linked overflow buckets.</summary>
    public void CountLinked(long count) => Interlocked.Add(ref _overflowBuckets, count);

    /// <summary>Counts a chain that has begun to share tags.</summary>
    public void CountSharedTags() => Interlocked.Increment(ref _sharedTagBuckets);

    /// <inheritdoc/>
    public void Dispose()
    {
        _block.Dispose();
        Pool.Dispose();
        ResizePool.Dispose();
    }
}
