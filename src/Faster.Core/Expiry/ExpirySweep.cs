using Faster.Chains;
using Faster.Contracts;
using Faster.Index;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.InMemory;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Expiry;

/// <summary>
/// Removes expired records from a store that lives in memory only, one bucket of the index at a time. Nothing else
/// would remove them if their keys are not accessed again (paper 000 §4; docs/internals/expiry-costs.md).
/// </summary>
/// <remarks>
/// <para>The threads that make records do the work: with every few records the maker checks the next bucket, so that
/// one or two records are checked for each one made, and dead records are never many more than live ones. A record that
/// is dead and latched is its key's only one, and stays dead while the latch is held, so removing it then changes
/// nothing that any operation sees.</para>
/// <para>Thread-safe, latch-free: a record whose latch is held is skipped. Under the caller's epoch, in which an index
/// that was seen stable stays stable.</para>
/// </remarks>
internal sealed unsafe class ExpirySweep(HashIndex index, RecordAllocator log, StoreClock clock)
{
    private const int RecordsForEachBucket = 4;
    private const int BucketsAtOnce = 1024; // while memory is exhausted

    private readonly HashEntries _entries = new(index);
    private long _made;
    private long _hand;

    /// <summary>Called for each record that is made; every fourth call sweeps a bucket.</summary>
    public void OnMake(FreeLists lists)
    {
        if (clock.MayExpire && Interlocked.Increment(ref _made) % RecordsForEachBucket == 0) _ = Sweep(lists, 1);
    }

    /// <summary>Called when memory is exhausted: looks for records to free.</summary>
    /// <param name="lists">The caller's free lists.</param>
    /// <param name="inVain">The number of buckets that the caller has swept without freeing a record.</param>
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

    /// <summary>Sweeps the next buckets.</summary>
    /// <returns>The number of records removed.</returns>
    public int Sweep(FreeLists lists, int buckets)
    {
        IndexState state = index.State;
        if (state.Phase != IndexPhase.Stable) return 0;
        long now = clock.Now;
        int done = 0;
        for (int i = 0; i < buckets; i++)
        {
            long number = (Interlocked.Increment(ref _hand) & long.MaxValue) % state.BucketCount;
            foreach (EntryRef entry in HashIndex.EntriesOf(state, number))
                if (TryTakeOne(lists, entry, now)) done++;
        }

        return done;
    }

    // Removes one record of a chain: what is left is another chain, which the next turn sweeps.
    private bool TryTakeOne(FreeLists lists, in EntryRef entry, long now)
    {
        var at = new ChainPosition { Entry = entry };
        for (long address = entry.Address; address != 0; address = RecordHeader.Previous(at.Header))
        {
            at.Address = address;
            at.Record = log.Pointer(address);
            Probe.Point(ProbePoint.RecordSplice);
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
        Probe.Point(ProbePoint.RecordLatch);
        if (!RecordHeader.TryReplace(at.Record, at.Header, at.Header | RecordHeader.Latch)) return false;

        // The record may have been renewed before it was latched.
        bool taken = ((Probe.On && Probe.Has(SeededBug.SweepWithoutSecondLook)) || IsDead(at, now))
            && ChainSplicer.Replace(_entries, log, at, RecordHeader.Previous(at.Header)) == Outcome.Ok;
        RecordLatch.Release(at.Record, taken ? at.Header | RecordHeader.Sealed | RecordHeader.Tombstone : at.Header);
        if (taken) log.Free(lists, at.Address, (int)log.Layout.RecordSize(at.Record), everLinked: true);
        return taken;
    }
}
