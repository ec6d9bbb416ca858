using System.Diagnostics;
using Faster.Contracts;

namespace Faster.Index;

/// <summary>Merges the pairs of buckets of one chunk of the old table into the new one (paper 000, App. B).</summary>
/// <remarks>
/// <para>Entries are matched by their tags: an entry whose tag only one side has moves over, of two of one tag the
/// chains of records are joined. No chain is frozen, so that each record lies where its own tag leads.</para>
/// <para>Entries of the old table are cleared when what takes over from them stands in the new one, both of a pair at
/// once, and room for it is found beforehand: a merge that throws or finds no room in the log has lost nothing, and
/// goes on where it stopped when it is tried again.</para>
/// <para>Not thread-safe, as <see cref="ChunkSplit{TProbe}"/>.</para>
/// </remarks>
internal static unsafe class ChunkMerge<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>Merges the pairs of a claimed chunk that have not been merged yet.</summary>
    /// <returns>False: the log has no room, and the chunk has been merged in part.</returns>
    /// <exception cref="LimitExceededException">The system refuses memory for overflow buckets.</exception>
    public static bool TryRun(Resize resize, int chunk)
    {
        TProbe.Point(ProbePoint.GrowthSplit);
        long end = resize.EndBucketOf(chunk);
        for (long left = resize.FirstBucketOf(chunk); left < end; left += 2)
            if (!TryMergePair(resize, left)) return false;
        return true;
    }

    private static bool TryMergePair(Resize resize, long leftBucket)
    {
        HashBucket* left = resize.Old.Buckets + leftBucket, right = left + 1;
        Debug.Assert(!HashBucket.IsFrozen(left) && !HashBucket.IsFrozen(right), "a frozen chain is merged by tags");
        var filler = new ChainFiller(resize.New, resize.New.Buckets + (leftBucket / 2));
        try
        {
            return TryMove(resize, leftBucket, left, right, ref filler)
                && TryMove(resize, leftBucket, right, null, ref filler);
        }
        finally
        {
            filler.End(frozen: false);
        }
    }

    // Each entry of a chain, with that of the same tag in the other one, if there is another one.
    private static bool TryMove(
        Resize resize, long leftBucket, HashBucket* bucket, HashBucket* other, ref ChainFiller filler)
    {
        for (; bucket != null; bucket = HashBucket.Next(bucket))
        {
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong word = bucket->Entries[i];
                if (word == 0) continue;
                Debug.Assert((word & EntryWord.Tentative) == 0, "an insert was under way in a chunk that is merged");
                ulong* twin = HashBucket.FindTag(other, word & EntryWord.TagMask);
                filler.MakeRoom();
                if (!TryMerge(resize, leftBucket, word, twin == null ? 0 : *twin, out long head)) return false;
                if (head != 0) filler.Add(EntryWord.WithAddress(word, head));
                bucket->Entries[i] = 0;
                if (twin != null) *twin = 0;
            }
        }

        return true;
    }

    private static bool TryMerge(Resize resize, long leftBucket, ulong word, ulong twin, out long head)
    {
        uint tag = (uint)((word & EntryWord.TagMask) >> EntryWord.TagShift);
        ulong hash = HashBits.HashOf(leftBucket / 2, resize.New.BucketCount, tag);
        if (TProbe.Has(SeededBug.MergeDropsSide)) twin = 0;
        return resize.Chains.TryMerge(
            EntryWord.AddressOf(word), EntryWord.AddressOf(twin), hash, resize.Old.BucketCount, out head);
    }
}
