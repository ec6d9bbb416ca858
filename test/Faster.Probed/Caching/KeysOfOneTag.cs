using Faster.Contracts;
using Faster.Log.Records;

namespace Faster.Tests.Caching;

/// <summary>Keys that share an entry of the index, or would if it were halved, though no chain shares tags.</summary>
internal static class KeysOfOneTag
{
    /// <summary>A key for each of the buckets given, all of one tag.</summary>
    public static long[] In(long bucketCount, params long[] buckets)
    {
        const uint Tag = 7;
        var keys = new long[buckets.Length];
        long key = 10_000; // above those that others use
        for (int i = 0; i < buckets.Length; i++)
        {
            for (keys[i] = 0; keys[i] == 0; key++)
            {
                ulong hash = KeyHash.Of((ulong)key, default);
                if (HashBits.TagOf(hash) == Tag && HashBits.BucketOf(hash, bucketCount) == buckets[i]) keys[i] = key;
            }
        }

        return keys;
    }
}
