using System.Runtime.CompilerServices;
using Faster.Index.Trimming;
using Faster.Probes;

namespace Faster.Index;

/// <summary>Finds and inserts entries in one bucket chain (paper 000 §3.2).</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Among the buckets of a chain there is at most one non-tentative entry for each tag (proof:
/// docs/internals/two-phase-insert.md).</item>
/// <item>An entry stays in its slot from its insert to its removal; only its address changes.</item>
/// <item>Buckets are linked to the end of a chain, and unlinked from there when they are closed: the way to an entry
/// stays as it is (<see cref="ChainTrim"/>).</item>
/// </list>
/// <para>Latch-free. The caller's epoch keeps the chain's memory alive.</para>
/// <para>Where the paper makes an insert wait for a rival's tentative entry of the same tag, this one removes it: the
/// rival notices when it finalizes by compare-and-swap, and retries. So no thread waits for one that was stopped
/// between its two phases. Rivals that remove each other's entries are separated by pauses of random length.</para>
/// </remarks>
internal static unsafe class BucketChain
{
    private const ulong Visible = EntryWord.TagMask | EntryWord.Tentative;
    private const int LongestPause = 64;

    /// <summary>
    /// The slot of a tag's non-tentative entry, or of the entry whose tag it shares in a chain with shared tags, and
    /// its word as read once; null when there is none.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong* Find(HashBucket* bucket, uint tag, out ulong word)
    {
        Probe.Point(ProbePoint.IndexScan);
        ulong pattern = (ulong)tag << EntryWord.TagShift;
        uint match = HashBucket.Match(bucket, pattern, Visible);
        if (match != 0)
        {
            ulong* slot = HashBucket.FirstSlot(bucket, match);
            word = Volatile.Read(ref *slot);
            if ((word & Visible) == pattern && word != 0) return slot;
        }
        else if ((Volatile.Read(ref bucket->Overflow) & (HashBucket.OverflowPointerMask | HashBucket.SharedTags)) == 0)
        {
            word = 0;
            return null;
        }

        // A separate local, so that the hit path's own stays in registers.
        ulong* found = FindInChain(bucket, pattern, out ulong foundWord);
        word = foundWord;
        return found;
    }

    /// <summary>
    /// Reads the first entry in one bucket of a chain that has a tag, is final and does not lead to the read cache.
    /// </summary>
    /// <param name="bucket">A bucket of the chain.</param>
    /// <param name="tag">The tag.</param>
    /// <param name="word">The entry, or what another thread has put in its place.</param>
    /// <returns>False when there is none, which proves nothing: use <see cref="Find"/>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryReadFirst(HashBucket* bucket, ulong tag, out ulong word)
    {
        Probe.Point(ProbePoint.IndexScan);
        word = 0;
        uint match = HashBucket.MatchFinal(bucket, tag);
        if (match == 0) return false;
        word = Volatile.Read(ref *HashBucket.FirstSlot(bucket, match));
        return true;
    }

    /// <inheritdoc cref="TryReadFirst(HashBucket*, ulong, out ulong)"/>
    /// <param name="bucket">A bucket of the chain.</param>
    /// <param name="tag">The tag.</param>
    /// <param name="slot">The entry's slot.</param>
    /// <param name="word">The entry, or what another thread has put in its place.</param>
    /// <remarks>A body of its own: if hits came here, a read-modify-write had an instruction more.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryReadFirst(HashBucket* bucket, ulong tag, out ulong* slot, out ulong word)
    {
        Probe.Point(ProbePoint.IndexScan);
        word = 0;
        slot = null;
        uint match = HashBucket.MatchFinal(bucket, tag);
        if (match == 0) return false;
        slot = HashBucket.FirstSlot(bucket, match);
        word = Volatile.Read(ref *slot);
        return true;
    }

    /// <summary>
    /// The first empty slot of a chain, or null and the chain's last bucket. Unlinks a bucket that is closed.
    /// </summary>
    public static ulong* FindEmpty(HashBucket* bucket, out HashBucket* last)
    {
        do
        {
            Probe.Point(ProbePoint.IndexScan);
            last = bucket;
            for (int i = 0; i < HashBucket.EntryCount; i++)
                if (Volatile.Read(ref bucket->Entries[i]) == 0) return &bucket->Entries[i];
            bucket = ChainTrim.NextOpen(bucket);
        }
        while (bucket != null);

        return null;
    }

    /// <summary>Empties the slots of the entries that lead below the log's begin address.</summary>
    /// <remarks>
    /// Such an entry says no more than an empty slot (docs/internals/truncation.md), and only a compare-and-swap takes
    /// it out: an operation that has found it meanwhile, and swaps its word, fails or makes this one fail.
    /// </remarks>
    /// <returns>Whether a slot was emptied.</returns>
    public static bool TryEmptyDead(HashBucket* bucket, long begin)
    {
        bool emptied = false;
        for (; bucket != null; bucket = HashBucket.Next(bucket))
        {
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong word = Volatile.Read(ref bucket->Entries[i]);
                if (!EntryWord.LeadsBelow(word, begin)) continue;
                Probe.Point(ProbePoint.IndexReplace);
                if (Probe.On && Probe.Has(SeededBug.DeadWithoutCompare)) Volatile.Write(ref bucket->Entries[i], 0);
                else if (Interlocked.CompareExchange(ref bucket->Entries[i], 0, word) != word) continue;
                emptied = true;
            }
        }

        return emptied;
    }

    /// <summary>Links a bucket to the last one of a chain, and preserves the latch's bits.</summary>
    /// <returns>False when another bucket was linked first, or the last one has been closed.</returns>
    public static bool TryLink(HashBucket* last, HashBucket* fresh)
    {
        Probe.Point(ProbePoint.IndexOverflow);
        ulong seen = Volatile.Read(ref last->Overflow);
        while ((seen & (HashBucket.OverflowPointerMask | HashBucket.Closed)) == 0)
        {
            ulong was = Interlocked.CompareExchange(ref last->Overflow, seen | (ulong)fresh, seen);
            if (was == seen) return true;
            seen = was;
        }

        return false;
    }

    /// <summary>
    /// The second phase of an insert: searches for rivals of the same tag, then makes the entry final.
    /// </summary>
    /// <param name="bucket">The chain's first bucket.</param>
    /// <param name="own">The slot of the tentative entry.</param>
    /// <param name="entry">The final entry.</param>
    /// <param name="sharesTags">Whether the chain shared tags before the tentative entry was written.</param>
    /// <returns>
    /// False when a rival was first or the chain has begun to share tags meanwhile; the slot has then been released.
    /// </returns>
    public static bool TryFinalize(HashBucket* bucket, ulong* own, ulong entry, bool sharesTags)
    {
        ulong tentative = entry | EntryWord.Tentative;
        ulong distinct = SharedTagChain.Distinct(sharesTags);
        bool alone = (Probe.On && Probe.Has(SeededBug.InsertWithoutRescan))
            || ClearRivals(bucket, own, entry & distinct, distinct);
        if (!alone || BeganToShareTags(bucket, sharesTags))
        {
            Interlocked.CompareExchange(ref *own, 0, tentative);
            return false;
        }

        Probe.Point(ProbePoint.IndexFinalize);
        if (Interlocked.CompareExchange(ref *own, entry, tentative) == tentative) return true;
        Thread.SpinWait(Random.Shared.Next(LongestPause));
        return false;
    }

    private static bool BeganToShareTags(HashBucket* bucket, bool before)
    {
        if (before || (Probe.On && Probe.Has(SeededBug.InsertIgnoresSharing))) return false;
        Probe.Point(ProbePoint.IndexShareTags);
        return HashBucket.SharesTags(bucket);
    }

    // True: at some moment of the scan each slot but its own held no entry whose distinct bits equal the pattern.
    private static bool ClearRivals(HashBucket* bucket, ulong* own, ulong pattern, ulong distinct)
    {
        do
        {
            Probe.Point(ProbePoint.IndexRescan);
            uint match = HashBucket.Match(bucket, pattern, distinct);
            for (; match != 0; match &= match - 1)
            {
                ulong* slot = HashBucket.FirstSlot(bucket, match);
                if (slot != own && !TryClearRival(slot, pattern, distinct)) return false;
            }

            bucket = HashBucket.Next(bucket);
        }
        while (bucket != null);

        return true;
    }

    private static bool TryClearRival(ulong* slot, ulong pattern, ulong distinct)
    {
        ulong seen = Volatile.Read(ref *slot);
        while (seen != 0 && !ChainTrim.IsClosed(seen) && (seen & distinct) == pattern)
        {
            if ((seen & EntryWord.Tentative) == 0) return false;
            ulong was = Interlocked.CompareExchange(ref *slot, 0, seen);
            if (was == seen) return true;
            seen = was;
        }

        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong* FindInChain(HashBucket* first, ulong pattern, out ulong word)
    {
        HashBucket* bucket = first;
        do
        {
            Probe.Point(ProbePoint.IndexScan);
            uint match = HashBucket.Match(bucket, pattern, Visible);
            for (; match != 0; match &= match - 1)
            {
                ulong* slot = HashBucket.FirstSlot(bucket, match);
                word = Volatile.Read(ref *slot);
                if ((word & Visible) == pattern && word != 0) return slot;
            }

            bucket = HashBucket.Next(bucket);
        }
        while (bucket != null);

        Probe.Point(ProbePoint.IndexShareTags);
        if (HashBucket.SharesTags(first)) return SharedTagChain.Find(first, pattern, out word);
        word = 0;
        return null;
    }
}
