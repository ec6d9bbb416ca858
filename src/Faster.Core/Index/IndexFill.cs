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
    private const long SampleChains = 1024;

    /// <summary>
    /// The entries that lead to something, as a part of the slots of all first buckets: above 1 where many overflow.
    /// </summary>
    /// <param name="table">The table.</param>
    /// <param name="begin">An entry with an address of the log below it does not count: its records are gone.</param>
    public static double Of(IndexTable table, long begin)
    {
        long step = Math.Max(table.BucketCount / SampleChains, 1), chains = 0, used = 0;
        for (long bucket = step / 2; bucket < table.BucketCount; bucket += step, chains++)
            used += CountLive(table.Buckets + bucket, begin);
        return (double)used / (chains * HashBucket.EntryCount);
    }

    /// <summary>The most overflow buckets that there will be when the table's buckets are merged as they are.</summary>
    public static long OverflowWhenHalved(IndexTable table)
    {
        long overflow = 0;
        for (long bucket = 0; bucket + 1 < table.BucketCount; bucket += 2)
        {
            HashBucket* left = table.Buckets + bucket;
            int together = CountLive(left, begin: 0) + CountLive(left + 1, begin: 0);
            overflow += Math.Max(together - 1, 0) / HashBucket.EntryCount;
        }

        return overflow;
    }

    private static int CountLive(HashBucket* bucket, long begin)
    {
        int count = 0;
        for (; bucket != null; bucket = HashBucket.Next(bucket))
        {
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong word = Volatile.Read(ref bucket->Entries[i]);
                if (word == 0) continue;
                long address = EntryWord.AddressOf(word);
                if (address < 0 || address >= begin) count++;
            }
        }

        return count;
    }
}
