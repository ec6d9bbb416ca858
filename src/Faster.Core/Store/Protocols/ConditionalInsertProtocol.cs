using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// Conditional insert (paper 003 §5.1; 000 App. C, roll to tail): links a record at the tail unless the chain holds a
/// record of its key above an address, be it a tombstone.
/// </summary>
/// <remarks>
/// <para>The chain is walked from a word of its entry down to the address, on disk where it must be, and never below.
/// The record is linked by a swap from that very word. Whatever would supersede it has either been found by the walk,
/// or has been linked since, and then the word is another one: nothing newer is ever hidden, and of two inserts of one
/// record one finds the other (docs/COMPACTION.md).</para>
/// <para>The address must be one whose record can't be updated in place any more. If it lies below the log's begin, or
/// its chain has lost its entry, the record is dead: <see cref="Outcome.NotFound"/>, as when there is a newer one. The
/// begin is looked at after the entry: who removes an entry does so because of a begin that is seen then.</para>
/// <para>To commits it is an operation of its session's version as any other: it stops before a record of the next
/// version, and after the commit point it takes the bucket for itself.</para>
/// </remarks>
internal readonly struct ConditionalInsertProtocol<TProbe, TOperation> : IProtocol<TProbe, TOperation>
    where TProbe : struct, IProbe
    where TOperation : struct, IConditionalInsert
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    /// <inheritdoc/>
    public static unsafe bool TryHit<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong word, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => false;

    /// <inheritdoc/>
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (!attempt.TryLocate(hash, out HashBucket* bucket)) return Outcome.Growing;
        if (TMode.CopiesOld && !attempt.TryEnterExclusive(hash)) return Outcome.Latched;
        uint tag = HashBits.TagOf(hash);
        int valueSize = attempt.Log.Layout.ValueSize;
        for (;;)
        {
            var at = default(ChainPosition);
            at.Slot = HashIndex<TProbe>.Find(bucket, tag, out at.Word);
            if (at.Slot == null) return attempt.GiveUp(Outcome.NotFound);
            if (TProbe.Has(SeededBug.CompactionTrustsCached) && at.IsCached && attempt.Cache.Find(key, at.Word) != null)
                return attempt.GiveUp(Outcome.NotFound);
            at.Chain = attempt.Cache.Behind(EntryWord.AddressOf(at.Word));
            Outcome looked = Look<TKey, TMode>(attempt, key, hash, operation.Above, disk, at.Chain);
            if (looked != Outcome.Ok || TOperation.OnlyLooks) return attempt.GiveUp(looked);
            if (attempt.Reserved == 0)
            {
                ReadOnlySpan<byte> value = operation.Value;
                if (!attempt.TryReserve(key, valueSize, value.Length, value.Length, operation.Expiry))
                    return attempt.GiveUp(Outcome.NoRoom);
                value.CopyTo(attempt.ReservedValue(valueSize));
            }

            if (TProbe.Has(SeededBug.CopyWithoutRecheck)) LookAgain(attempt, ref at);
            if (attempt.TryLinkReserved(bucket, tag, at, operation.Flags)) return Outcome.Ok;
        }
    }

    /// <summary>Whether the record may be linked in front of a chain: no newer one of the key is in it.</summary>
    private static unsafe Outcome Look<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, long above, DiskRecord? disk, long chain)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator<TProbe> log = attempt.Log;
        TProbe.Point(ProbePoint.RegionMarker);
        if (above < log.BeginAddress) return Outcome.NotFound;
        long address = chain, downTo = Math.Max(log.HeadAddress, above + 1);
        if (log.Find(key, hash, downTo, ref address, out ulong header) != null)
        {
            if ((header & RecordHeader.Delta) != 0) throw PartialValues.NoMerger(address);
            return TMode.StopsAtNext && attempt.MustShift(address, header) ? Outcome.Shift : Outcome.NotFound;
        }

        if (address <= above) return Outcome.Ok;

        // What is known of the disk holds only if the chain on disk still begins where the walk began.
        if (disk is not null && disk.Partials.Count != 0) throw PartialValues.NoMerger(disk.Address);
        if (disk is not null && disk.ChainStart == address)
            return disk.Address > above ? Outcome.NotFound : Outcome.Ok;
        attempt.Wanted = address;
        attempt.WantedFloor = above + 1;
        return Outcome.OnDisk;
    }

    // Seeded bug: links in front of whatever the entry leads to by now.
    private static unsafe void LookAgain(Attempt<TProbe> attempt, ref ChainPosition at)
    {
        TProbe.Point(ProbePoint.IndexScan);
        at.Word = Volatile.Read(ref *at.Slot);
        at.Chain = attempt.Cache.Behind(EntryWord.AddressOf(at.Word));
    }
}
