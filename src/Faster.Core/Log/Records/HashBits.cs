using System.Runtime.CompilerServices;
using Faster.Contracts;

namespace Faster.Log.Records;

/// <summary>Maps a 64-bit hash to a bucket of the index and a tag within it (paper 000 §3.1).</summary>
/// <remarks>
/// <para>The tag is the hash's top 14 bits. The bucket is the other 50 bits, read as a fraction below 1, times the
/// number of buckets, rounded down: this takes one multiplication and works for any number of buckets.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Tag and bucket come from disjoint bits at every size up to 2^50 buckets.</item>
/// <item>When the number of buckets doubles, the hashes of bucket b go to 2b or 2b + 1.</item>
/// </list>
/// <para>Thread-safe: pure functions, in 64-bit arithmetic throughout.</para>
/// </remarks>
internal static class HashBits
{
    /// <summary>The number of bits of the tag.</summary>
    public const int TagBits = 14;

    /// <summary>The maximum number of buckets that the bits below the tag can distinguish.</summary>
    public const long MaxBucketCount = 1L << (64 - TagBits);

    /// <summary>The tag: from 0 to 2^14 - 1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint TagOf(ulong hash) => (uint)(hash >> (64 - TagBits));

    /// <summary>The bucket: from 0 to <paramref name="bucketCount"/> - 1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long BucketOf(ulong hash, long bucketCount) =>
        (long)WideProduct.High(hash << TagBits, (ulong)bucketCount);

    /// <summary>
    /// A hash of a bucket and a tag; at every smaller size it maps to the bucket that contains this one.
    /// </summary>
    public static ulong HashOf(long bucket, long bucketCount, uint tag)
    {
        const int FractionBits = 64 - TagBits;
        UInt128 least = (((UInt128)(ulong)bucket << FractionBits) + (ulong)bucketCount - 1) / (ulong)bucketCount;
        return ((ulong)tag << FractionBits) | (ulong)least;
    }
}
