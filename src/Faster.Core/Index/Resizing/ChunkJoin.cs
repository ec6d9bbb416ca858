using System.Diagnostics;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Index.Resizing;

/// <summary>Joins the pairs of buckets of one chunk of the old table into the new one (paper 000, App. B).</summary>
/// <remarks>
/// <para>Entries are matched by tag: an entry whose tag only one side has is moved; for two entries of the same tag,
/// their hash chains are joined. No chain shares tags, so each record lies where its own tag leads.</para>
/// <para>Entries of the old table are cleared when their replacement is in the new one, both of a pair at once, and
/// space for it is reserved first. So a join that throws or finds no space in the log has lost nothing, and a retry
/// continues where it stopped.</para>
/// <para>Not thread-safe, like <see cref="ChunkSplit"/>.</para>
/// </remarks>
internal static unsafe class ChunkJoin
{
    /// <summary>Joins the pairs of a claimed chunk that have not been joined yet.</summary>
    /// <returns>False: the log has no space, and only a part of the chunk has been joined.</returns>
    /// <exception cref="LimitExceededException">The system refuses memory for overflow buckets.</exception>
    public static bool TryRun(Resize resize, int chunk)
    {
        Probe.Point(ProbePoint.GrowthSplit);
        long end = resize.EndBucketOf(chunk);
        for (long left = resize.FirstBucketOf(chunk); left < end; left += 2)
            if (!TryJoinPair(resize, left)) return false;
        return true;
    }

    private static bool TryJoinPair(Resize resize, long leftBucket)
    {
        HashBucket* left = resize.Old.Buckets + leftBucket, right = left + 1;
        Debug.Assert(!HashBucket.SharesTags(left) && !HashBucket.SharesTags(right), "shared tags in a joined chain");
        var builder = new BucketChainBuilder(resize.New, resize.New.Buckets + (leftBucket / 2));
        try
        {
            return TryMove(resize, leftBucket, left, right, ref builder)
                && TryMove(resize, leftBucket, right, null, ref builder);
        }
        finally
        {
            builder.End(sharesTags: false);
        }
    }

    // Moves each entry of a chain, joined with the other chain's entry of the same tag, if there is another chain.
    private static bool TryMove(
        Resize resize, long leftBucket, HashBucket* bucket, HashBucket* other, ref BucketChainBuilder builder)
    {
        for (; bucket != null; bucket = HashBucket.Next(bucket))
        {
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong word = bucket->Entries[i];
                if (word == 0) continue;
                Debug.Assert((word & EntryWord.Tentative) == 0, "an insert was in progress in a chunk that is joined");
                ulong* twin = HashBucket.FindTag(other, word & EntryWord.TagMask);
                builder.MakeSpace();
                if (!TryJoin(resize, leftBucket, word, twin == null ? 0 : *twin, out long head)) return false;
                if (head != 0) builder.Add(EntryWord.WithAddress(word, head));
                bucket->Entries[i] = 0;
                if (twin != null) *twin = 0;
            }
        }

        return true;
    }

    private static bool TryJoin(Resize resize, long leftBucket, ulong word, ulong twin, out long head)
    {
        uint tag = (uint)((word & EntryWord.TagMask) >> EntryWord.TagShift);
        ulong hash = HashBits.HashOf(leftBucket / 2, resize.New.BucketCount, tag);
        if (Probe.On && Probe.Has(SeededBug.JoinDropsSide)) twin = 0;
        return resize.Chains.TryJoin(
            EntryWord.AddressOf(word), EntryWord.AddressOf(twin), hash, resize.Old.BucketCount, out head);
    }
}
