using System.Runtime.CompilerServices;
using Faster.Contracts;

namespace Faster.Index;

/// <summary>Finding and inserting entries in one chain of buckets (paper 000 §3.2).</summary>
/// <remarks>
/// <para>Invariant: among the buckets of a chain there is at most one non-tentative entry for each tag. The proof is in
/// docs/INDEX.md.</para>
/// <para>Latch-free. An entry stays in its slot from its insert to its removal, only its address changes; buckets are
/// appended to a chain and never taken out. The caller keeps the chain's memory alive by its epoch.</para>
/// <para>Where the paper lets an insert wait for a rival's tentative entry of the same tag, this one removes it: the
/// rival notices when it finalizes by compare-and-swap, and tries again. So nobody waits for a thread that was stopped
/// between its two phases. Rivals that remove each other are set apart by pauses of random length.</para>
/// </remarks>
internal static unsafe class BucketChain<TProbe>
    where TProbe : struct, IProbe
{
    private const ulong Visible = EntryWord.TagMask | EntryWord.Tentative;
    private const int LongestPause = 64;

    /// <summary>
    /// The slot of a tag's non-tentative entry, in a frozen chain of the one that it shares, and its word as read once;
    /// null when there is none.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong* Find(HashBucket* bucket, uint tag, out ulong word)
    {
        TProbe.Point(ProbePoint.IndexScan);
        ulong pattern = (ulong)tag << EntryWord.TagShift;
        uint match = HashBucket.Match(bucket, pattern, Visible);
        if (match != 0)
        {
            ulong* slot = HashBucket.FirstSlot(bucket, match);
            word = Volatile.Read(ref *slot);
            if ((word & Visible) == pattern && word != 0) return slot;
        }
        else if ((Volatile.Read(ref bucket->Overflow) & (HashBucket.OverflowPointerMask | HashBucket.Frozen)) == 0)
        {
            word = 0;
            return null;
        }

        // By a local of its own, so that the one of the hit path stays in registers.
        ulong* found = FindInChain(bucket, pattern, out ulong foundWord);
        word = foundWord;
        return found;
    }

    /// <summary>
    /// The word of a tag's non-tentative entry that does not lead to the read cache, if the chain's first bucket has
    /// it; else 0, which says nothing: ask <see cref="Find"/>.
    /// </summary>
    /// <param name="bucket">The chain's first bucket.</param>
    /// <param name="pattern">What <see cref="EntryWord.PatternOf"/> gave for the hash.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong FindFirst(HashBucket* bucket, ulong pattern)
    {
        TProbe.Point(ProbePoint.IndexScan);
        uint match = HashBucket.Match(bucket, pattern, Visible);
        if (match == 0) return 0;
        ulong word = Volatile.Read(ref *HashBucket.FirstSlot(bucket, match));
        return (word & (Visible | EntryWord.ReadCache)) == pattern ? word : 0;
    }

    /// <summary>The first empty slot of a chain, or null and the chain's last bucket.</summary>
    public static ulong* FindEmpty(HashBucket* bucket, out HashBucket* last)
    {
        do
        {
            TProbe.Point(ProbePoint.IndexScan);
            last = bucket;
            for (int i = 0; i < HashBucket.EntryCount; i++)
                if (Volatile.Read(ref bucket->Entries[i]) == 0) return &bucket->Entries[i];
            bucket = HashBucket.Next(bucket);
        }
        while (bucket != null);

        return null;
    }

    /// <summary>Links a bucket to the last one of a chain, leaving the latch's bits as they are.</summary>
    /// <returns>False when another one was linked first.</returns>
    public static bool TryLink(HashBucket* last, HashBucket* fresh)
    {
        TProbe.Point(ProbePoint.IndexOverflow);
        ulong seen = Volatile.Read(ref last->Overflow);
        while ((seen & HashBucket.OverflowPointerMask) == 0)
        {
            ulong was = Interlocked.CompareExchange(ref last->Overflow, seen | (ulong)fresh, seen);
            if (was == seen) return true;
            seen = was;
        }

        return false;
    }

    /// <summary>The second phase of an insert: looks for others of the same tag, then makes the entry final.</summary>
    /// <param name="bucket">The chain's first bucket.</param>
    /// <param name="own">The slot of the tentative entry.</param>
    /// <param name="entry">The entry as it shall be.</param>
    /// <param name="frozen">Whether the chain was frozen before the tentative entry was written.</param>
    /// <returns>False, and the slot given up, when a rival was first or the chain has been frozen meanwhile.</returns>
    public static bool TryFinalize(HashBucket* bucket, ulong* own, ulong entry, bool frozen)
    {
        ulong tentative = entry | EntryWord.Tentative;
        ulong distinct = FrozenChain<TProbe>.Distinct(frozen);
        bool alone = TProbe.Has(SeededBug.InsertWithoutRescan) || ClearRivals(bucket, own, entry & distinct, distinct);
        if (!alone || FrozenMeanwhile(bucket, frozen))
        {
            Interlocked.CompareExchange(ref *own, 0, tentative);
            return false;
        }

        TProbe.Point(ProbePoint.IndexFinalize);
        if (Interlocked.CompareExchange(ref *own, entry, tentative) == tentative) return true;
        Thread.SpinWait(Random.Shared.Next(LongestPause));
        return false;
    }

    private static bool FrozenMeanwhile(HashBucket* bucket, bool before)
    {
        if (before || TProbe.Has(SeededBug.InsertIgnoresFreeze)) return false;
        TProbe.Point(ProbePoint.IndexFreeze);
        return HashBucket.IsFrozen(bucket);
    }

    // True: at some moment of the scan each slot but the own one held no entry whose distinct bits are the pattern.
    private static bool ClearRivals(HashBucket* bucket, ulong* own, ulong pattern, ulong distinct)
    {
        do
        {
            TProbe.Point(ProbePoint.IndexRescan);
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
        while (seen != 0 && (seen & distinct) == pattern)
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
            TProbe.Point(ProbePoint.IndexScan);
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

        TProbe.Point(ProbePoint.IndexFreeze);
        if (HashBucket.IsFrozen(first)) return FrozenChain<TProbe>.Find(first, pattern, out word);
        word = 0;
        return null;
    }
}
