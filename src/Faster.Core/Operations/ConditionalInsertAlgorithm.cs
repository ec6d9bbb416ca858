using Faster.Chains;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>
/// Conditional insert (paper 003 §5.1; 000 App. C, roll to tail): links a record at the tail unless the chain holds a
/// record of its key above an address. A tombstone counts as a record.
/// </summary>
/// <remarks>
/// <para>The chain is walked from a word of its entry down to the address, on disk where necessary, and never below.
/// The record is linked by a swap from that very word. A record that would supersede it has either been found by the
/// walk, or has been linked since, and then the word has changed: so nothing newer is ever hidden, and of two inserts
/// of one record, one finds the other (docs/internals/compaction.md).</para>
/// <para>An operation that links nothing passes over deltas, in a store whose updates merge: they do not supersede the
/// record below them (docs/internals/tiered-merging.md).</para>
/// <para>The address must be that of a record that can't be updated in place any more. If it lies below Begin, or its
/// chain has lost its entry, the record is dead: <see cref="Outcome.NotFound"/>, as when there is a newer one. Begin is
/// read after the entry: a thread that removes an entry does so because of a Begin that is visible by then.</para>
/// <para>A record whose value lies in fragments that the log is being truncated above is not linked either
/// (<see cref="Log.Large.FragmentWrites"/>).</para>
/// <para>For commits it is an operation of its session's version like any other: it stops before a record of the next
/// version, and after the commit point it takes the bucket's exclusive latch.</para>
/// </remarks>
internal readonly struct ConditionalInsertAlgorithm<TEntries, TOperation> : IAlgorithm<TOperation>
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, IConditionalInsert
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    /// <inheritdoc/>
    public static unsafe bool TryHit<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => false;

    /// <inheritdoc/>
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        Outcome located = attempt.Locate<TEntries>(hash, out EntryRef entry);
        if (located != Outcome.Ok) return located;
        if (TMode.CopiesOld && !attempt.Bucket.TryEnterExclusive(hash)) return Outcome.BucketLatched;
        int valueSize = attempt.Log.Layout.ValueSize;
        for (;;)
        {
            var at = new ChainPosition { Entry = entry };
            Outcome found = attempt.Entries<TEntries>().Find(ref at.Entry);
            bool mayBeFirst = found == Outcome.NotFound && operation.Above == IConditionalInsert.Nothing;
            if (found != Outcome.Ok && !mayBeFirst) return attempt.GiveUp(found);
            if (Probe.On && Probe.Has(SeededBug.CompactionTrustsCached) && at.IsCached
                && attempt.Cache.Find(key, at.Entry) != null)
                return attempt.GiveUp(Outcome.NotFound);
            at.Chain = attempt.Cache.Behind(at.Entry.Address);
            Outcome looked = Look<TKey, TMode>(attempt, key, hash, operation.Above, disk, at.Chain);
            if (looked != Outcome.Ok || TOperation.OnlyLooks) return attempt.GiveUp(looked);
            if (attempt.Reservation.Address == 0)
            {
                ReadOnlySpan<byte> value = operation.Value;
                if (LargeValues.IsPassedOver(attempt.Log, operation.Flags, value))
                    return attempt.GiveUp(Outcome.NotFound);
                if (!attempt.Reservation.TryTake(key, valueSize, value.Length, value.Length, operation.Expiry))
                    return attempt.GiveUp(Outcome.AllocationFailed);
                value.CopyTo(attempt.Reservation.Value(valueSize));
            }

            if (Probe.On && Probe.Has(SeededBug.CopyWithoutRecheck)) LookAgain(attempt, ref at);
            if ((operation.Flags & RecordHeader.Delta) != 0 && !TryHold(attempt, key, hash, ref at))
                return attempt.GiveUp(Outcome.Retry);
            Outcome linked = attempt.LinkReserved<TEntries>(at, operation.Flags);
            if (linked != Outcome.Retry) return linked == Outcome.Ok ? linked : attempt.GiveUp(linked);
        }
    }

    /// <summary>
    /// Checks that a chain holds no newer record of the key, so that the record may be linked in front.
    /// </summary>
    private static unsafe Outcome Look<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, long above, ChainReadResult? disk, long chain)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator log = attempt.Log;
        Probe.Point(ProbePoint.RegionMarker);
        if (above < log.BeginAddress) return Outcome.NotFound;
        long address = chain, downTo = Math.Max(log.HeadAddress, above + 1);
        bool passesDeltas = TOperation.OnlyLooks && attempt.Tier.Schema.Merger is not null;
        while (log.Find(key, hash, downTo, ref address, out ulong header) != null)
        {
            bool isDelta = (header & RecordHeader.Delta) != 0;
            if (isDelta && !passesDeltas) throw DeltaValues.NoMerger(address);
            if (TMode.StopsAtNext && attempt.Version.MustShift(address, header)) return Outcome.CprShift;
            if (!isDelta || (Probe.On && Probe.Has(SeededBug.DeltaHidesBase))) return Outcome.NotFound;
            address = RecordHeader.Previous(header);
        }

        if (address <= above) return Outcome.Ok;

        // The result of the walk on disk holds only if the chain on disk still begins where the walk began.
        if (disk is not null && disk.Deltas.Count != 0 && !passesDeltas) throw DeltaValues.NoMerger(disk.Address);
        if (disk is not null && disk.ChainStart == address)
            return disk.End > above ? Outcome.NotFound : Outcome.Ok;
        attempt.Wanted = address;
        attempt.WantedFloor = above + 1;
        return Outcome.OnDisk;
    }

    // A reader takes a record behind a delta only if none can change it any more: so it is sealed with the link.
    private static unsafe bool TryHold<TKey>(Attempt attempt, scoped TKey key, ulong hash, ref ChainPosition at)
        where TKey : struct, IKey, allows ref struct
    {
        long address = at.Chain;
        byte* record = attempt.Log.Find(key, hash, attempt.MutableFrom, ref address, out _);
        if (record == null) return true;
        if (!attempt.TryLatch(record, out at.Header)) return false;
        at.Record = record;
        at.Address = address;
        return true;
    }

    // Seeded bug: links in front of whatever the entry leads to at this time.
    private static unsafe void LookAgain(Attempt attempt, ref ChainPosition at)
    {
        Probe.Point(ProbePoint.IndexScan);
        _ = attempt.Entries<TEntries>().Find(ref at.Entry);
        at.Chain = attempt.Cache.Behind(at.Entry.Address);
    }
}
