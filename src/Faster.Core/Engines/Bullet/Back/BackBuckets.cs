using System.Numerics;

namespace Faster.Engines.Bullet.Back;

/// <summary>
/// The buckets of a part by linear hashing: they are split one after another, each at its turn, so that their number
/// follows that of the entries and no operation does more than split a few.
/// </summary>
/// <remarks>
/// A bucket is the offset of its first entry. Buckets lie in segments, each as large as all before it together, so no
/// bucket ever moves. Only heads of buckets that exist are read, so a segment needs no zeros. Not thread-safe: it
/// belongs to the holder of a part.
/// </remarks>
/// <param name="words">The words of the part's batch.</param>
/// <param name="heap">The part's heap.</param>
/// <param name="page">Where the part's words begin.</param>
internal sealed class BackBuckets(StagedWords words, RegionHeap heap, long page)
{
    private static readonly int _firstBits = BitOperations.Log2(BackLayout.FirstBuckets);

    /// <summary>How many buckets there are.</summary>
    public long Count => words.Read(page + BackLayout.BucketsAt);

    /// <summary>How many entries there are, tombstones included.</summary>
    public long Entries => words.Read(page + BackLayout.EntriesAt) + words.Read(page + BackLayout.TombstonesAt);

    /// <summary>Whether there are more entries than three for two buckets.</summary>
    public bool IsSplitDue => Entries * 2 > Count * 3;

    /// <summary>The bucket of a hash among a number of buckets.</summary>
    public static long BucketOf(ulong hash, long count)
    {
        ulong mask = ulong.MaxValue >> BitOperations.LeadingZeroCount((ulong)count - 1);
        long bucket = (long)(hash & mask);
        return bucket < count ? bucket : (long)(hash & (mask >> 1));
    }

    /// <summary>The segment of a bucket, and the first bucket of that segment.</summary>
    public static (int Segment, long First) SegmentOf(long bucket)
    {
        if (bucket < BackLayout.FirstBuckets) return (0, 0);
        int power = BitOperations.Log2((ulong)bucket);
        return (power - _firstBits + 1, 1L << power);
    }

    /// <summary>Called at each entry of a walk through a bucket, so that damage can't make it endless.</summary>
    /// <param name="left">How many entries may follow; at first <see cref="Entries"/>.</param>
    /// <param name="at">The entry.</param>
    /// <exception cref="DamagedDataException">There are more.</exception>
    public void CountStep(ref long left, long at)
    {
        if (left-- == 0) words.ThrowDamaged(at, "a bucket leads to more entries than there are");
    }

    /// <summary>Makes the first buckets of a part that has none.</summary>
    /// <returns>False: there is no space.</returns>
    public bool TryMake()
    {
        long segment = heap.AllocateSegment(BackLayout.FirstBuckets * sizeof(long));
        if (segment == 0) return false;
        for (int i = 0; i < BackLayout.FirstBuckets; i++) words.Stage(segment + (i * sizeof(long)), 0);
        words.Stage(page + BackLayout.SegmentsAt, segment);
        words.Stage(page + BackLayout.BucketsAt, BackLayout.FirstBuckets);
        return true;
    }

    /// <summary>Where the head of a bucket is.</summary>
    public long HeadAt(long bucket)
    {
        (int segment, long first) = SegmentOf(bucket);
        return words.Read(page + BackLayout.SegmentsAt + (segment * sizeof(long))) + ((bucket - first) * sizeof(long));
    }

    /// <summary>
    /// Splits the bucket whose turn it is. Does nothing if that takes more words, or if a segment has no space: chains
    /// are longer then.
    /// </summary>
    /// <param name="mostWords">The most words that it may stage.</param>
    public void TrySplit(int mostWords)
    {
        long count = Count, half = 1L << BitOperations.Log2((ulong)count), old = count - half;
        long head = HeadAt(old);
        if (mostWords < RegionHeap.AllocateWords + 8 + CountTurns(head, half)) return;
        (int segment, long first) = SegmentOf(count);
        if (segment >= BackLayout.MaxSegments) return;
        if (first == count)
        {
            long bytes = heap.AllocateSegment(half * sizeof(long));
            if (bytes == 0) return;
            words.Stage(page + BackLayout.SegmentsAt + (segment * sizeof(long)), bytes);
        }

        long low = head, high = HeadAt(count), entry = words.Read(head);
        words.Stage(high, 0);
        while (entry != 0)
        {
            long next = words.Read(entry + BackEntry.NextAt);
            ref long last = ref IsHigh(entry, half) ? ref high : ref low;
            if (words.Read(last) != entry) words.Stage(last, entry);
            last = entry + BackEntry.NextAt;
            entry = next;
        }

        if (words.Read(low) != 0) words.Stage(low, 0);
        if (words.Read(high) != 0) words.Stage(high, 0);
        words.Stage(page + BackLayout.BucketsAt, count + 1);
    }

    // How often neighbors of a chain go to different buckets: so many words change.
    private int CountTurns(long head, long half)
    {
        (int turns, bool wasHigh, long most) = (0, false, Entries);
        for (long entry = words.Read(head); entry != 0; entry = words.Read(entry + BackEntry.NextAt))
        {
            CountStep(ref most, entry);
            bool isHigh = IsHigh(entry, half);
            if (isHigh != wasHigh) turns++;
            wasHigh = isHigh;
        }

        return turns;
    }

    private bool IsHigh(long entry, long half) => (words.EntryAt(entry).Hash & (ulong)half) != 0;
}
