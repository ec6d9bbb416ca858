using Faster.Probes;

namespace Faster.Index.Trimming;

/// <summary>
/// Takes empty overflow buckets from the end of a bucket chain, while operations use the chain
/// (docs/internals/chain-trimming.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A bucket is closed only when it is the last one of its chain and its slots are empty. Then no entry is ever
/// put into it, and no bucket linked to it.</item>
/// <item>Only a closed bucket is unlinked. So the way from the first bucket to one that holds an entry stays as it is.
/// </item>
/// </list>
/// <para>One thread at a time closes buckets: the holder of <see cref="HashIndex.Exclusion"/>. Any operation
/// that needs the end of a chain may unlink what has been closed, so that it never waits. Latch-free, under the
/// caller's epoch.</para>
/// </remarks>
internal static unsafe class ChainTrim
{
    /// <summary>Closes and unlinks the last bucket of a chain, if it is an overflow bucket without entries.</summary>
    /// <returns>The bucket, which other operations may see until their epoch ends; null if there is none.</returns>
    public static HashBucket* TryTakeLast(HashBucket* first)
    {
        HashBucket* previous = first, last = HashBucket.Next(first);
        if (last == null) return null;
        for (HashBucket* next = HashBucket.Next(last); next != null; next = HashBucket.Next(last))
        {
            previous = last;
            last = next;
        }

        if (!TryClose(last)) return null;
        Unlink(previous, last);
        return last;
    }

    /// <summary>The next bucket of a chain; one that is closed is unlinked, and does not count.</summary>
    public static HashBucket* NextOpen(HashBucket* bucket)
    {
        HashBucket* next;
        while ((next = HashBucket.Next(bucket)) != null && HashBucket.IsClosed(next)) Unlink(bucket, next);
        return next;
    }

    /// <summary>Whether a slot takes no entry any more: what an insert finds there is no rival.</summary>
    public static bool IsClosed(ulong word) =>
        word == EntryWord.Closed && !(Probe.On && Probe.Has(SeededBug.ClosedSlotIsRival));

    private static bool TryClose(HashBucket* last)
    {
        for (int i = 0; i < HashBucket.EntryCount; i++)
            if (Volatile.Read(ref last->Entries[i]) != 0) return false;
        int closed = 0;
        Probe.Point(ProbePoint.IndexTrim);
        while (closed < HashBucket.EntryCount && TryCloseSlot(ref last->Entries[closed])) closed++;
        Probe.Point(ProbePoint.IndexTrim);
        if (closed == HashBucket.EntryCount && TryCloseEnd(last)) return true;
        while (closed > 0) Volatile.Write(ref last->Entries[--closed], 0); // no one else writes a closed slot
        return false;
    }

    private static bool TryCloseSlot(ref ulong slot)
    {
        if (Probe.On && Probe.Has(SeededBug.BucketSlotsStayOpen)) return Volatile.Read(ref slot) == 0;
        return Interlocked.CompareExchange(ref slot, EntryWord.Closed, 0) == 0;
    }

    private static bool TryCloseEnd(HashBucket* last)
    {
        if (Probe.On && Probe.Has(SeededBug.BucketEndStaysOpen)) return true;
        return Interlocked.CompareExchange(ref last->Overflow, HashBucket.Closed, 0) == 0;
    }

    // Several threads may do it at once. When the call returns, it has been done.
    private static void Unlink(HashBucket* previous, HashBucket* closed)
    {
        Probe.Point(ProbePoint.IndexTrim);
        ulong seen = Volatile.Read(ref previous->Overflow);
        while ((HashBucket*)(seen & HashBucket.OverflowPointerMask) == closed)
        {
            ulong was = Interlocked.CompareExchange(
                ref previous->Overflow, seen & ~HashBucket.OverflowPointerMask, seen);
            if (was == seen) return;
            seen = was;
        }
    }
}
