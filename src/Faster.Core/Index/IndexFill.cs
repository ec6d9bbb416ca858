namespace Faster.Index;

/// <summary>
/// Estimates how full a table is by a sample of its chains: hashes spread keys evenly, so a thousand chains suffice.
/// Also counts, over all chains, the overflow buckets that a table of half the size would need.
/// </summary>
/// <remarks>
/// A sample reads a cache line for each of up to 1,024 chains, whatever the table's size, and no operation counts
/// anything. With a sixth of the slots used, its error is about 3 %. Thread-safe; the table must stay: the caller holds
/// an epoch, or prevents a resize of the index.
/// </remarks>
internal static unsafe class IndexFill
{
    private const long SampleGroups = 16, GroupChains = 64;

    /// <summary>
    /// The entries that lead to a valid address, as a fraction of the slots of all first buckets: above 1 where many
    /// chains overflow.
    /// </summary>
    /// <remarks>
    /// A split gives both sides an entry for records on disk, because nothing else says to which side they belong. Such
    /// copies are in adjacent buckets, with the same word, and count once.
    /// </remarks>
    /// <param name="table">The table.</param>
    /// <param name="begin">An entry with a log address below it does not count: its records are gone.</param>
    public static double Of(IndexTable table, long begin)
    {
        long groups = (table.BucketCount + GroupChains - 1) / GroupChains;
        long step = Math.Max(groups / SampleGroups, 1), chains = 0, used = 0;
        var words = new List<ulong>((int)GroupChains * HashBucket.EntryCount);
        for (long group = step / 2; group < groups; group += step)
        {
            long first = group * GroupChains, end = Math.Min(first + GroupChains, table.BucketCount);
            for (long bucket = first; bucket < end; bucket++) AddLive(words, table.Buckets + bucket, begin);
            (chains, used) = (chains + end - first, used + CountDistinct(words));
            words.Clear();
        }

        return (double)used / (chains * HashBucket.EntryCount);
    }

    /// <summary>
    /// The maximum number of overflow buckets after the table's buckets have been joined as they are.
    /// </summary>
    public static long OverflowWhenHalved(IndexTable table)
    {
        long overflow = 0;
        for (long bucket = 0; bucket + 1 < table.BucketCount; bucket += 2)
        {
            HashBucket* left = table.Buckets + bucket;
            int together = Count(left, besides: null) + Count(left + 1, besides: left);
            overflow += Math.Max(together - 1, 0) / HashBucket.EntryCount;
        }

        return overflow;
    }

    private static int CountDistinct(List<ulong> words)
    {
        words.Sort();
        int count = 0;
        for (int i = 0; i < words.Count; i++)
            if (i == 0 || words[i] != words[i - 1]) count++;
        return count;
    }

    private static void AddLive(List<ulong> words, HashBucket* bucket, long begin)
    {
        for (; bucket != null; bucket = HashBucket.Next(bucket))
        {
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong word = Volatile.Read(ref bucket->Entries[i]);
                if (word == 0) continue;
                long address = EntryWord.AddressOf(word);
                if (address < 0 || address >= begin) words.Add(word);
            }
        }
    }

    // The number of a chain's entries whose tags another chain does not have.
    private static int Count(HashBucket* bucket, HashBucket* besides)
    {
        int count = 0;
        for (; bucket != null; bucket = HashBucket.Next(bucket))
        {
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong word = Volatile.Read(ref bucket->Entries[i]);
                if (word != 0 && HashBucket.FindTag(besides, word & EntryWord.TagMask) == null) count++;
            }
        }

        return count;
    }
}
