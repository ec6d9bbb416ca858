using System.Diagnostics;
using Faster.Contracts;

namespace Faster.Index;

/// <summary>Splits one chunk of the old table into the new one (paper 000, App. B).</summary>
/// <remarks>
/// Not thread-safe: the caller has claimed the chunk, so that nobody else reads or writes the chunk's buckets, nor the
/// buckets of the new table that it feeds; plain writes do, and marking the chunk as split publishes them.
/// </remarks>
internal static unsafe class ChunkSplit<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>Splits a claimed chunk. When it throws, what was split stays so, and the rest can be split later.</summary>
    /// <exception cref="LimitExceededException">The system refuses memory for overflow buckets.</exception>
    public static void Run(Growth growth, int chunk)
    {
        TProbe.Point(ProbePoint.GrowthSplit);
        long first = growth.FirstBucketOf(chunk), end = growth.EndBucketOf(chunk), at = first;
        try
        {
            for (; at < end; at++) SplitChain(growth, at);
        }
        catch
        {
            // A bucket that is empty splits into nothing: the next try goes on where this one stopped.
            for (long done = first; done < at; done++) growth.Old.Buckets[done] = default;
            growth.New.Buckets[2 * at] = default;
            growth.New.Buckets[(2 * at) + 1] = default;
            throw;
        }
    }

    private static void SplitChain(Growth growth, long oldBucket)
    {
        HashBucket* bucket = growth.Old.Buckets + oldBucket;
        var rule = new SplitRule(growth.New.BucketCount, 2 * oldBucket);
        var left = new Filler(growth.New, growth.New.Buckets + rule.LeftBucket);
        var right = new Filler(growth.New, growth.New.Buckets + rule.LeftBucket + 1);
        for (; bucket != null; bucket = HashBucket.Next(bucket))
        {
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong word = bucket->Entries[i];
                if (word == 0) continue;
                Debug.Assert((word & EntryWord.Tentative) == 0, "an insert was under way in a chunk that is split");
                growth.Splitter.Split(EntryWord.AddressOf(word), rule, out long leftHead, out long rightHead);
                if (leftHead != 0) left.Add(EntryWord.WithAddress(word, leftHead));
                if (rightHead != 0 && !TProbe.Has(SeededBug.SplitDropsSibling))
                    right.Add(EntryWord.WithAddress(word, rightHead));
            }
        }
    }

    // Fills a chain of the new table from left to right.
    private struct Filler(IndexTable table, HashBucket* bucket)
    {
        private HashBucket* _bucket = bucket;
        private int _count;

        public void Add(ulong word)
        {
            if (_count == HashBucket.EntryCount)
            {
                HashBucket* fresh = table.Pool.Take();
                _bucket->Overflow |= (ulong)fresh;
                table.CountLinked(1);
                _bucket = fresh;
                _count = 0;
            }

            _bucket->Entries[_count++] = word;
        }
    }
}
