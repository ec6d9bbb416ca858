using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster.Caching;

/// <summary>
/// Evicts the oldest records of the read cache: takes each out of its chain, or gives it a second chance at the tail.
/// </summary>
/// <remarks>
/// <para><b>Invariant.</b> No chain leads to a record below the cursor, and none ever will. Let c be the record at the
/// cursor. Addresses fall along a cached prefix (<see cref="ReadCache{TProbe}"/>), so c can only be the last of its
/// prefix. Either the entry itself leads to c: then it is swapped from just that word to what lies behind c. Or the
/// record in front of c is redirected; nobody else redirects linked records. Who links a new record in front meanwhile
/// swaps the entry from a word w, and the new record leads to w's record: so c is reachable through it only if it was
/// reachable through w at the time of the swap, and that is over once w's prefix has lost c; and if w led to c itself,
/// one of the two swaps fails, and is tried again from what is there now. The word of c does not come back, since
/// addresses are never used again.</para>
/// <para>So once a page's records have all been passed, only those may still be at them who found them within an epoch
/// that has not ended, and the frame is closed when these have left (<see cref="PagedLog{TProbe}"/>).</para>
/// <para>A record that was read since it was written is copied to the tail first, and counts as read once less: it
/// leaves when it has come to the cursor as often as it was read, three times at most, plus once. Records that are read
/// are not copied by their readers, as they would be if a read-only region decided (App. D): no room is taken by two
/// copies of one record, and a hit writes no more than a byte.</para>
/// <para><b>Thread-safety.</b> The role is taken by a flag: one thread evicts, and who finds the flag taken goes on
/// without. Nobody waits for the role, nor in it; operations are held up by nobody.</para>
/// </remarks>
internal sealed unsafe class CacheEvictor<TProbe>(HashIndex<TProbe> index, CacheLog<TProbe> log, HashSeed seed)
    where TProbe : struct, IProbe
{
    private const int PagesLeft = 2; // of the window: one for the tail to turn to, one whose frame is being closed

    private long _cursor = PagedLog<TProbe>.FirstAddress;
    private int _isTaken;

    /// <summary>Whether the oldest page should be evicted, and may be.</summary>
    public bool IsDue
    {
        get
        {
            long cursor = Volatile.Read(ref _cursor);
            return log.TailPage + 1 - (cursor >> log.PageBits) > log.ResidentPages - PagesLeft
                && cursor < log.SafeFrozenAddress;
        }
    }

    /// <summary>Evicts some records if that is due. Under the caller's epoch; does not wait.</summary>
    /// <param name="begin">The log's begin: what stands for a record below is not kept.</param>
    /// <param name="most">The most records to look at.</param>
    /// <returns>How many were looked at; 0 when another thread evicts, or the index grows just there.</returns>
    public int Run(long begin, int most)
    {
        if (!IsDue || Interlocked.CompareExchange(ref _isTaken, 1, 0) != 0) return 0;
        try
        {
            int done = 0;
            while (done < most && IsDue && TryStep(begin)) done++;
            return done;
        }
        finally
        {
            Volatile.Write(ref _isTaken, 0);
        }
    }

    private bool TryStep(long begin)
    {
        TProbe.Point(ProbePoint.CacheEvict);
        byte* record = log.Pointer(_cursor);
        ulong header = RecordHeader.Read(record);
        if (header == 0) // nobody took the rest of the page
        {
            MoveTo(log.PageEndOf(_cursor));
            return true;
        }

        long address = _cursor;
        if (CachedRecord.IsOwn(header))
        {
            address += sizeof(long);
            record += sizeof(long);
            header = RecordHeader.Read(record);
        }

        if (!CachedRecord.IsInvalid(header) && !TProbe.Has(SeededBug.EvictWithoutRelink)
            && !TryTakeOut(address, record, begin)) return false;
        MoveTo(address + log.Layout.RecordSize(record));
        return true;
    }

    private void MoveTo(long cursor)
    {
        Volatile.Write(ref _cursor, cursor);
        if ((cursor & (log.PageSize - 1)) == 0) log.OnFlushed(cursor);
    }

    private bool TryTakeOut(long address, byte* record, long begin)
    {
        ulong hash = log.Layout.Hash(record, seed);
        if (!index.TryLocate(hash, out BucketRef at)) return false;
        while (!TryTakeOut(at.Bucket, HashBits.TagOf(hash), address, record, begin)) { }
        index.Unpin(at);
        return true;
    }

    // False: the entry has changed.
    private bool TryTakeOut(HashBucket* bucket, uint tag, long address, byte* record, long begin)
    {
        ulong* slot = HashIndex<TProbe>.Find(bucket, tag, out ulong word);
        if (slot == null) return true;
        long head = HashIndex<TProbe>.AddressOf(word), wanted = EntryWord.OfCache(address);
        byte* before = null;
        for (long at = head; at != wanted; at = CachedRecord.Previous(RecordHeader.Read(before)))
        {
            if (at >= 0) return true; // a newer record has taken the prefix's place
            before = log.Pointer(at);
        }

        ulong header = RecordHeader.Read(record);
        long behind = CachedRecord.Previous(header);
        if (CachedRecord.Uses(header) > 0 && CachedRecord.Own(record, header) >= begin
            && TryCopy(record, header, before == null ? behind : head, out long copy))
        {
            if (!HashIndex<TProbe>.TryReplace(slot, word, copy))
            {
                byte* lost = log.Pointer(copy);
                RecordHeader.Write(lost, CachedRecord.AsInvalid(RecordHeader.Read(lost)));
                return false;
            }
        }
        else if (before == null)
        {
            return TryRedirect(slot, word, behind);
        }

        if (before != null)
            RecordHeader.Write(before, CachedRecord.WithPrevious(RecordHeader.Read(before), behind));
        return true;
    }

    private static bool TryRedirect(ulong* slot, ulong word, long behind)
    {
        if (!TProbe.Has(SeededBug.RelinkWithoutCompare)) return HashIndex<TProbe>.TryReplace(slot, word, behind);
        TProbe.Point(ProbePoint.IndexReplace);
        Volatile.Write(ref *slot, EntryWord.WithAddress(word, behind));
        return true;
    }

    // The second chance. False: there is no room for it.
    private bool TryCopy(byte* record, ulong header, long previous, out long copy)
    {
        long own = CachedRecord.Own(record, header);
        bool hasOwn = own != previous;
        int size = (int)log.Layout.RecordSize(record);
        copy = 0;
        if (log.IsExhausted || !log.TryAllocate(null, hasOwn ? size + sizeof(long) : size, out long address))
            return false;
        byte* target = log.Pointer(address);
        if (hasOwn)
        {
            *(long*)target = own;
            target += sizeof(long);
            address += sizeof(long);
        }

        Buffer.MemoryCopy(
            record + RecordHeader.Size, target + RecordHeader.Size, size - RecordHeader.Size, size - RecordHeader.Size);
        RecordHeader.Write(
            target,
            CachedRecord.Make(previous, CachedRecord.Uses(header) - 1, hasOwn) | (header & RecordHeader.Expiring));
        copy = EntryWord.OfCache(address);
        return true;
    }
}
