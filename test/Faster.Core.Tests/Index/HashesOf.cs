namespace Faster.Tests.Index;

/// <summary>Makes hashes that fall where a test wants them.</summary>
internal static class HashesOf
{
    /// <summary>The smallest hash of a bucket and tag, or one so many steps above it.</summary>
    public static ulong Bucket(long bucket, long bucketCount, uint tag, ulong step = 0)
    {
        UInt128 unit = (UInt128)1 << 50;
        UInt128 least = (((UInt128)(ulong)bucket * unit) + (ulong)bucketCount - 1) / (ulong)bucketCount;
        return ((ulong)tag << 50) | ((ulong)least + step);
    }
}
