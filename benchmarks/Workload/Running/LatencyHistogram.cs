using System.Diagnostics;
using System.Numerics;

namespace Faster.Workload;

/// <summary>
/// Times of operations, counted in buckets whose width grows with the time, as in HdrHistogram: a percentile is wrong
/// by less than a part in <see cref="Precision"/>.
/// </summary>
/// <remarks>
/// A time of n ticks below twice <see cref="Precision"/> has a bucket of its own; above, each power of two has
/// <see cref="Precision"/> buckets. Unsynchronized: one thread's, until it has stopped.
/// </remarks>
internal sealed class LatencyHistogram
{
    /// <summary>How many buckets each power of two has.</summary>
    public const int Precision = 64;

    private const int PrecisionBits = 6;

    private readonly long[] _counts = new long[(64 - PrecisionBits) * Precision + Precision];

    /// <summary>How many times were recorded.</summary>
    public long Count { get; private set; }

    /// <summary>The longest time, in ticks of <see cref="Stopwatch"/>.</summary>
    public long Longest { get; private set; }

    /// <summary>Counts a time, in ticks of <see cref="Stopwatch"/>.</summary>
    public void Record(long ticks)
    {
        long time = Math.Max(ticks, 0);
        _counts[BucketOf(time)]++;
        Count++;
        Longest = Math.Max(Longest, time);
    }

    /// <summary>Adds what another one has counted.</summary>
    public void Add(LatencyHistogram other)
    {
        for (int i = 0; i < _counts.Length; i++)
            _counts[i] += other._counts[i];
        Count += other.Count;
        Longest = Math.Max(Longest, other.Longest);
    }

    /// <summary>The time, in ticks, within which a part of the operations ended; 0 if there was none.</summary>
    /// <param name="part">The part, from 0 to 1.</param>
    public long Percentile(double part)
    {
        long left = Math.Max(1, (long)Math.Ceiling(part * Count));
        for (int i = 0; i < _counts.Length; i++)
        {
            left -= _counts[i];
            if (left <= 0)
                return Math.Min(UpperEndOf(i), Longest);
        }

        return Longest;
    }

    private static int BucketOf(long time)
    {
        if (time < 2 * Precision)
            return (int)time;
        int shift = BitOperations.Log2((ulong)time) - PrecisionBits;
        return (shift * Precision) + (int)(time >> shift);
    }

    private static long UpperEndOf(int bucket)
    {
        if (bucket < 2 * Precision)
            return bucket;
        int shift = (bucket / Precision) - 1;
        long first = (bucket - ((long)shift * Precision)) << shift;
        return first + (1L << shift) - 1;
    }
}
