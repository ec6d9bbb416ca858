namespace Faster.Index;

/// <summary>
/// How full a table is, by a sample of its chains: hashes spread keys evenly, so a thousand tell. And, by a look at
/// all, what half of it would need.
/// </summary>
/// <remarks>
/// A sample reads a cache line for each of up to 1,024 chains, whatever the table's size, and nothing is counted on the
/// way of any operation. With a sixth of the slots used its error is some 3 %. Thread-safe; the table must stay: the
/// caller holds an epoch, or keeps the index from being resized.
/// </remarks>
internal static unsafe class IndexFill
{
    private const long SampleGroups = 16, GroupChains = 64;

    /// <summary>
    /// The entries that lead to something, as a part of the slots of all first buckets: above 1 where many overflow.
    /// </summary>
    /// <remarks>
    /// A split gives both sides an entry for records on disk, which say by no other means whose they are. Such copies
    /// stand in buckets next to each other, with the same word, and count once.
    /// </remarks>
    /// <param name="table">The table.</param>
    /// <param name="begin">An entry with an address of the log below it does not count: its records are gone.</param>
    public static double Of(IndexTable table, long begin)
    {
        long groups = (table.BucketCount + GroupChains - 1) / GroupChains;
        long step = Math.Max(groups / SampleGroups, 1), chains = 0, used = 0;
        var words = new HashSet<ulong>();
        for (long group = step / 2; group < groups; group += step)
        {
            long first = group * GroupChains, end = Math.Min(first + GroupChains, table.BucketCount);
            for (long bucket = first; bucket < end; bucket++) AddLive(words, table.Buckets + bucket, begin);
            (chains, used) = (chains + end - first, used + words.Count);
            words.Clear();
        }

        return (double)used / (chains * HashBucket.EntryCount);
    }

    /// <summary>The most overflow buckets that there will be when the table's buckets are merged as they are.</summary>
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

    private static void AddLive(HashSet<ulong> words, HashBucket* bucket, long begin)
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

    // The entries of a chain whose tags another one does not have.
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
