using System.Runtime.CompilerServices;
using Faster.Contracts;

namespace Faster.Index;

/// <summary>How a 64-bit hash becomes a bucket of the index and a tag within it (paper 000 §3.1).</summary>
/// <remarks>
/// <para>The tag is the hash's top 14 bits. The bucket is the other 50 bits, read as a fraction below 1, times the
/// number of buckets, rounded down: one multiplication, and any number of buckets works.</para>
/// <para>Invariants: tag and bucket come from disjoint bits at every size up to 2^50 buckets; when the number of
/// buckets doubles, what was in bucket b goes to 2b or 2b + 1.</para>
/// <para>Thread-safe: pure functions, in 64-bit arithmetic throughout.</para>
/// </remarks>
internal static class HashBits
{
    /// <summary>How many bits of the hash are the tag.</summary>
    public const int TagBits = 14;

    /// <summary>The most buckets that the bits under the tag can tell apart.</summary>
    public const long MaxBucketCount = 1L << (64 - TagBits);

    /// <summary>The tag: from 0 to 2^14 - 1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint TagOf(ulong hash) => (uint)(hash >> (64 - TagBits));

    /// <summary>The bucket: from 0 to <paramref name="bucketCount"/> - 1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long BucketOf(ulong hash, long bucketCount) =>
        (long)WideProduct.High(hash << TagBits, (ulong)bucketCount);

    /// <summary>A hash of a bucket and a tag; at every smaller size it is one of the bucket that holds it.</summary>
    public static ulong HashOf(long bucket, long bucketCount, uint tag)
    {
        const int FractionBits = 64 - TagBits;
        UInt128 least = (((UInt128)(ulong)bucket << FractionBits) + (ulong)bucketCount - 1) / (ulong)bucketCount;
        return ((ulong)tag << FractionBits) | (ulong)least;
    }
}
