using System.Diagnostics;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Index.Resizing;

/// <summary>Splits one chunk of the old table into the new one (paper 000, App. B).</summary>
/// <remarks>
/// <para>An entry of the old table is cleared when it is in the new one, and space for it is reserved first. So a split
/// that throws has lost nothing, and a retry continues where it stopped.</para>
/// <para>Not thread-safe: the caller has claimed the chunk, so no other thread reads or writes its buckets, nor the
/// buckets of the new table that it feeds. Plain writes are enough; marking the chunk as split publishes them.</para>
/// </remarks>
internal static unsafe class ChunkSplit
{
    /// <summary>Splits a claimed chunk.</summary>
    /// <exception cref="LimitExceededException">The system refuses memory for overflow buckets.</exception>
    public static void Run(Resize resize, int chunk)
    {
        Probe.Point(ProbePoint.GrowthSplit);
        long end = resize.EndBucketOf(chunk);
        for (long bucket = resize.FirstBucketOf(chunk); bucket < end; bucket++) SplitBucket(resize, bucket);
    }

    private static void SplitBucket(Resize resize, long oldBucket)
    {
        var rule = new SplitRule(resize.New.BucketCount, 2 * oldBucket);
        var left = new BucketChainBuilder(resize.New, resize.New.Buckets + rule.LeftBucket);
        var right = new BucketChainBuilder(resize.New, resize.New.Buckets + rule.LeftBucket + 1);
        for (HashBucket* bucket = resize.Old.Buckets + oldBucket; bucket != null; bucket = HashBucket.Next(bucket))
        {
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong word = bucket->Entries[i];
                if (word == 0) continue;
                Debug.Assert((word & EntryWord.Tentative) == 0, "an insert was in progress in a chunk that is split");
                left.MakeSpace();
                right.MakeSpace();
                SplitEntry(resize.Chains, word, rule, ref left, ref right);
                bucket->Entries[i] = 0;
            }
        }

        bool sharesTags = HashBucket.SharesTags(resize.Old.Buckets + oldBucket);
        left.End(sharesTags);
        right.End(sharesTags);
    }

    private static void SplitEntry(
        IChainResizer chains, ulong word, in SplitRule rule, ref BucketChainBuilder left, ref BucketChainBuilder right)
    {
        chains.Split(EntryWord.AddressOf(word), rule, out long leftHead, out long rightHead);
        if (leftHead != 0) left.Add(EntryWord.WithAddress(word, leftHead));
        if (Probe.On && Probe.Has(SeededBug.SplitDropsSibling)) return;
        if (rightHead != 0) right.Add(EntryWord.WithAddress(word, rightHead));
    }
}
