using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// Delete: splices a record out of an in-memory chain (paper 000 §4), marks it by a tombstone in a log (§5.3).
/// </summary>
/// <remarks>
/// A record in the mutable region becomes a tombstone in place; if it is its chain's only record, the index entry goes
/// with it (§3.2). Elsewhere a tombstone record goes to the tail. When the key may only be on disk, the deletion is
/// blind:
/// <see cref="Outcome.NotFound"/> is returned only when the key is known not to exist.
/// </remarks>
internal readonly struct DeleteProtocol<TProbe, TOperation> : IProtocol<TProbe, TOperation>
    where TProbe : struct, IProbe
    where TOperation : struct, IDeleteOperation
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    /// <inheritdoc/>
    public static bool TryHit<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong word, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => false; // what a deletion does depends on the whole chain

    /// <inheritdoc/>
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (!attempt.TryLocate(hash, out HashBucket* bucket)) return Outcome.Growing;
        if (TMode.CopiesOld && !attempt.TryEnterExclusive(hash)) return Outcome.Latched;
        uint tag = HashBits.TagOf(hash);
        for (;;)
        {
            Outcome found = attempt.FindMutable<TKey, TMode>(key, hash, bucket, out ChainPosition at);
            if (found > Outcome.NotFound) return attempt.GiveUp(found);
            if (found == Outcome.Ok)
            {
                attempt.Discard();
                return DeleteMutable(attempt, bucket, at);
            }

            Outcome old = FindImmutable<TKey, TMode>(attempt, key, hash, at);
            if (old == Outcome.NotFound) _ = ChainUpkeep<TProbe>.NotFound(attempt, bucket, at.Slot, at.Word);
            if (old != Outcome.Ok) return attempt.GiveUp(old);
            if (attempt.Reserved == 0 && !attempt.TryReserve(key, TOperation.ValueSize, 0, 0))
                return attempt.GiveUp(Outcome.NoRoom);
            if (attempt.TryLinkReserved(bucket, tag, at, RecordHeader.Tombstone))
                return ChainUpkeep<TProbe>.Linked(attempt.Log, key, hash, at);
        }
    }

    private static unsafe Outcome DeleteMutable(Attempt<TProbe> attempt, HashBucket* bucket, in ChainPosition at)
    {
        attempt.CountDeletion();
        RecordAllocator<TProbe> log = attempt.Log;
        Outcome done = at.IsTombstone ? Outcome.NotFound : Outcome.Ok;
        if (log.Splices) return attempt.TrySpliceOut(at) ? done : Outcome.Retry;

        ulong partial = TProbe.Has(SeededBug.DeletionKeepsDelta) ? 0 : RecordHeader.Delta;
        ulong header = attempt.Stamp((at.Header & ~partial) | RecordHeader.Tombstone);
        bool alone = HashIndex<TProbe>.AddressOf(at.Word) == at.Address
            && RecordHeader.Previous(at.Header) < log.BeginAddress
            && !HashBucket.IsFrozen(bucket); // where each entry serves many keys, and none comes after it

        // Sealed first: nobody may revive the record once its entry is gone. Should the entry have got company
        // meanwhile, the sealed tombstone stays where it is and is taken for what it says.
        if (alone) header |= RecordHeader.Sealed;
        RecordHeader.Write(at.Record, header | RecordHeader.Latch);
        if (alone) HashIndex<TProbe>.TryRemove(at.Slot, at.Word);
        attempt.Unlatch(at.Record, header);
        return done;
    }

    /// <summary>Whether the key may exist in a record that is not updated in place any more.</summary>
    private static unsafe Outcome FindImmutable<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, in ChainPosition at)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator<TProbe> log = attempt.Log;
        long expiry;
        if (at.IsCached && attempt.Cache.Find(key, at.Word) is var copy && copy != null)
        {
            _ = RecordExpiry.Value(copy, RecordHeader.Read(copy), key.SlotSize, out expiry);
            return attempt.Clock.Judge(expiry);
        }

        long address = at.Chain;
        byte* record = log.Find(key, hash, log.HeadAddress, ref address, out ulong header);
        if (record == null)
            return address >= log.BeginAddress ? Outcome.Ok : Outcome.NotFound;
        if (TMode.StopsAtNext && attempt.MustShift(address, header)) return Outcome.Shift;
        if (RecordExpiry.IsUnconfirmed(header)) return Outcome.Retry;
        if ((header & RecordHeader.Tombstone) != 0) return Outcome.NotFound;

        // What others may still be renewing is not looked at: the deletion is blind.
        if (address >= log.SafeReadOnlyAddress) return Outcome.Ok;
        _ = RecordExpiry.Value(record, header, key.SlotSize, out expiry);
        return attempt.Clock.Judge(expiry);
    }
}
