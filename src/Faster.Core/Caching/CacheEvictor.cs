using Faster.Contracts;
using Faster.Index;
using Faster.Index.Entries;
using Faster.Invariants;
using Faster.Log;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Caching;

/// <summary>
/// Evicts the oldest records of the read cache: removes each from its hash chain, or gives it a second chance at the
/// tail.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>No chain leads to a record below the cursor, and none ever will.</item>
/// <item>The cursor stands on a record's start or a page's, never falls, and stays at or below the safe immutable
/// address.</item>
/// <item>One thread evicts at a time.</item>
/// </list>
/// <para><b>Why no chain leads below the cursor.</b> Let c be the record at the
/// cursor. Addresses fall along a cached prefix (<see cref="ReadCache"/>), so c can only be the last of its
/// prefix. If the entry itself leads to c, it is swapped from exactly that word to the address behind c. Otherwise the
/// record in front of c is redirected; no other code redirects linked records. A thread that links a new record in
/// front meanwhile swaps the entry from a word w, and the new record leads to w's record. So c is reachable through the
/// new record only if it was reachable through w at the time of the swap, and that ends once w's prefix has lost c. If
/// w led to c itself, one of the two swaps fails and is retried from the current word. The word of c does not come
/// back, because addresses are never reused.</para>
/// <para>So once all records of a page have been passed, only threads that found them within an epoch that has not
/// ended may still access them, and the frame is closed when these threads have left
/// (<see cref="PagedLog"/>).</para>
/// <para>A record that was read since it was written is first copied to the tail, with its count of reads reduced by
/// one. It is evicted when it has reached the cursor as often as it was read, three times at most, plus once. Readers
/// do not copy the records that they read, as they would if a read-only region decided (000 App. D): no space is taken
/// by two copies of one record, and a hit writes no more than a byte.</para>
/// <para><b>Thread-safety.</b> A flag assigns the role: one thread evicts, and a thread that finds the flag taken
/// continues without evicting. No thread waits for the role or within it, and no operation is blocked.</para>
/// </remarks>
internal sealed unsafe class CacheEvictor(HashIndex index, CacheLog log, HashSeed seed)
{
    private const int PagesLeft = 2; // of the window: one for the tail to move to, one whose frame is being closed

    private readonly HashEntries _entries = new(index);
    private long _cursor = PagedLog.FirstAddress;
    private int _isTaken;

    /// <summary>Whether the oldest page should and may be evicted.</summary>
    public bool IsDue => SparePages < 0 && Volatile.Read(ref _cursor) < log.SafeImmutableAddress;

    /// <summary>The number of pages that the tail may still turn to before the oldest page should be evicted.</summary>
    public long SparePages =>
        log.ResidentPages - PagesLeft - (log.TailPage + 1 - (Volatile.Read(ref _cursor) >> log.PageBits));

    /// <summary>Evicts some records if eviction is due. Runs under the caller's epoch; does not wait.</summary>
    /// <param name="begin">
    /// The begin address of the main log: a copy of a record below it gets no second chance.
    /// </param>
    /// <param name="most">The maximum number of records to examine.</param>
    /// <returns>
    /// The number of records examined; 0 if another thread evicts, or the index is being resized at that record's
    /// bucket.
    /// </returns>
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
        Probe.Point(ProbePoint.CacheEvict);
        byte* record = log.Pointer(_cursor);
        ulong header = RecordHeader.Read(record);
        if (header == 0) // the rest of the page was never allocated
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

        if (!CachedRecord.IsInvalid(header) && !(Probe.On && Probe.Has(SeededBug.EvictWithoutRelink))
            && !TryTakeOut(address, record, begin)) return false;
        MoveTo(address + log.Layout.RecordSize(record));
        return true;
    }

    private void MoveTo(long cursor)
    {
        Invariant.Check(
            cursor > _cursor && cursor <= log.PageEndOf(_cursor) && cursor <= log.SafeImmutableAddress,
            $"the cursor moves up within a safe page: {_cursor} to {cursor} of {log.SafeImmutableAddress}");
        Volatile.Write(ref _cursor, cursor);
        if ((cursor & (log.PageSize - 1)) == 0) log.OnFlushed(cursor);
    }

    private bool TryTakeOut(long address, byte* record, long begin)
    {
        ulong hash = log.Layout.Hash(record, seed);
        if (_entries.Locate(hash, out EntryRef entry) != Outcome.Ok) return false;
        while (!TryTakeOut(ref entry, address, record, begin)) { }
        _entries.Unpin(entry);
        return true;
    }

    // Returns false if the entry has changed.
    private bool TryTakeOut(ref EntryRef entry, long address, byte* record, long begin)
    {
        if (_entries.Find(ref entry) != Outcome.Ok) return true;
        long head = entry.Address, wanted = EntryWord.OfCache(address);
        byte* before = null;
        for (long at = head; at != wanted; at = CachedRecord.Previous(RecordHeader.Read(before)))
        {
            if (at >= 0) return true; // a newer record has replaced the prefix
            before = log.Pointer(at);
        }

        ulong header = RecordHeader.Read(record);
        long behind = CachedRecord.Previous(header);
        if (CachedRecord.Uses(header) > 0 && CachedRecord.Own(record, header) >= begin
            && TryCopy(record, header, before == null ? behind : head, out long copy))
        {
            if (_entries.Replace(entry, copy) != Outcome.Ok)
            {
                byte* lost = log.Pointer(copy);
                RecordHeader.Write(lost, CachedRecord.AsInvalid(RecordHeader.Read(lost)));
                return false;
            }
        }
        else if (before == null)
        {
            Outcome redirected = Probe.On && Probe.Has(SeededBug.RelinkWithoutCompare)
                ? HashEntries.Overwrite(entry, behind)
                : _entries.Replace(entry, behind);
            return redirected == Outcome.Ok;
        }

        if (before != null)
            RecordHeader.Write(before, CachedRecord.WithPrevious(RecordHeader.Read(before), behind));
        return true;
    }

    // Gives the record a second chance. Returns false if there is no space for the copy.
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
