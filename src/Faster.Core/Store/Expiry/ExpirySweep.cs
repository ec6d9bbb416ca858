using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// Takes expired records out of a store that lives in memory only, a bucket of the index at a time: there nothing else
/// would, if nobody asks for their keys again (paper 000 §4; docs/EXPIRY.md).
/// </summary>
/// <remarks>
/// <para>Who makes records pays: with every few of them the maker looks at the next bucket, so that one or two records
/// are looked at for each that is made, and the dead are never many more than the living. A record that is dead and
/// latched is its key's only one, and stays dead as long as the latch is held: to take it out then changes nothing for
/// anybody.</para>
/// <para>Thread-safe, latch-free: a latch that somebody holds is passed by. Under the caller's epoch, in which an index
/// that was seen stable stays as it is.</para>
/// </remarks>
internal sealed unsafe class ExpirySweep<TProbe>(
    HashIndex<TProbe> index, RecordAllocator<TProbe> log, StoreClock clock)
    where TProbe : struct, IProbe
{
    private const int RecordsForEachBucket = 4;
    private const int BucketsAtOnce = 1024; // while memory is used up

    private long _made;
    private long _hand;

    /// <summary>A record is being made.</summary>
    public void OnMake(FreeLists lists)
    {
        if (clock.MayExpire && Interlocked.Increment(ref _made) % RecordsForEachBucket == 0) _ = Sweep(lists, 1);
    }

    /// <summary>Memory is used up: looks for some that can be given back.</summary>
    /// <param name="lists">The caller's free lists.</param>
    /// <param name="inVain">How many buckets the caller has looked at in vain.</param>
    /// <returns>Whether it is worth trying again.</returns>
    public bool OnFull(FreeLists lists, ref long inVain)
    {
        if (clock.MayExpire && inVain <= index.BucketCount)
        {
            inVain = Sweep(lists, BucketsAtOnce) != 0 ? 0 : inVain + BucketsAtOnce;
            return true;
        }

        inVain = 0;
        return false;
    }

    /// <summary>Looks at the next buckets.</summary>
    /// <returns>How many records were taken out.</returns>
    public int Sweep(FreeLists lists, int buckets)
    {
        IndexState state = index.State;
        if (state.Phase != IndexPhase.Stable) return 0;
        long now = clock.Now;
        int done = 0;
        for (int i = 0; i < buckets; i++)
        {
            long number = (Interlocked.Increment(ref _hand) & long.MaxValue) % state.BucketCount;
            for (HashBucket* at = state.Buckets + number; at != null; at = HashBucket.Next(at))
            {
                for (int slot = 0; slot < HashBucket.EntryCount; slot++)
                    if (TryTakeOne(lists, &at->Entries[slot], now)) done++;
            }
        }

        return done;
    }

    // One of a chain: what it leaves is another chain, and the next turn's.
    private bool TryTakeOne(FreeLists lists, ulong* slot, long now)
    {
        ulong word = Volatile.Read(ref *slot);
        if (word == 0 || (word & EntryWord.Tentative) != 0) return false;
        var at = new ChainPosition { Slot = slot, Word = word };
        for (long address = EntryWord.AddressOf(word); address != 0; address = RecordHeader.Previous(at.Header))
        {
            at.Address = address;
            at.Record = log.Pointer(address);
            TProbe.Point(ProbePoint.RecordSplice);
            at.Header = RecordHeader.Read(at.Record);
            if (IsDead(at, now)) return TryTake(lists, at, now);
        }

        return false;
    }

    private bool IsDead(in ChainPosition at, long now)
    {
        const ulong Others = RecordHeader.Latch | RecordHeader.Sealed | RecordHeader.Tombstone;
        return (at.Header & Others) == 0 && RecordExpiry.IsDead(log.Layout, at.Record, at.Header, now);
    }

    private bool TryTake(FreeLists lists, in ChainPosition at, long now)
    {
        TProbe.Point(ProbePoint.RecordLatch);
        if (!RecordHeader.TryReplace(at.Record, at.Header, at.Header | RecordHeader.Latch)) return false;

        // It may have been renewed before it was latched.
        bool taken = (TProbe.Has(SeededBug.SweepWithoutSecondLook) || IsDead(at, now))
            && ChainSplicer<TProbe>.TryReplace(log, at, RecordHeader.Previous(at.Header));
        TProbe.Point(ProbePoint.RecordLatch);
        RecordHeader.Write(
            at.Record, taken ? at.Header | RecordHeader.Sealed | RecordHeader.Tombstone : at.Header);
        if (taken) log.Free(lists, at.Address, (int)log.Layout.RecordSize(at.Record), everLinked: true);
        return taken;
    }
}
