using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>Upsert, the blind update (paper 000 App. G, Algorithm 3; Table 2).</summary>
/// <remarks>
/// In the mutable region the value is overwritten in place; anywhere else, the fuzzy region included, a new record goes
/// to the tail: a blind update may be ordered after whatever is still being done to the old one.
/// </remarks>
internal readonly struct UpsertProtocol<TProbe, TOperation> : IProtocol<TProbe, TOperation>
    where TProbe : struct, IProbe
    where TOperation : struct, IUpsertOperation
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHit<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong word, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        long address = HashIndex<TProbe>.AddressOf(word);
        if (address < attempt.MutableFrom) return false;
        byte* record = attempt.Log.Pointer(address);
        if (!key.Matches(record + RecordHeader.Size)) return false;
        return TryInPlace(attempt, record, record + RecordHeader.Size + key.SlotSize, ref operation) == Outcome.Ok;
    }

    /// <inheritdoc/>
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator<TProbe> log = attempt.Log;
        if (!attempt.TryLocate(hash, out HashBucket* bucket)) return Outcome.Growing;
        ulong* slot = HashIndex<TProbe>.Find(bucket, HashBits.TagOf(hash), out ulong word);
        if (slot != null)
        {
            long address = HashIndex<TProbe>.AddressOf(word);
            long mutable = attempt.MutableFrom;
            while (address >= mutable)
            {
                byte* record = log.Pointer(address);
                ulong header = RecordHeader.Read(record);
                if (key.Matches(record + RecordHeader.Size))
                {
                    if (TMode.StopsAtNext && attempt.MustShift(address, header)) return Outcome.Shift;
                    if (TMode.CopiesOld && attempt.MustCopy(address, header)) break;
                    byte* value = record + RecordHeader.Size + key.SlotSize;
                    Outcome updated = TryInPlace(attempt, record, value, ref operation);
                    if (updated != Outcome.NotFound) return updated;
                    break;
                }

                address = RecordHeader.Previous(header);
            }
        }

        return Elsewhere<TKey, TMode>(attempt, key, hash, ref operation, bucket);
    }

    /// <summary>Updates the key's record in the mutable region.</summary>
    /// <returns>
    /// <see cref="Outcome.NotFound"/>: it is dead, or the new value does not fit, and nothing has been done.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe Outcome TryInPlace(
        Attempt<TProbe> attempt, byte* record, byte* value, ref TOperation operation)
    {
        ulong header;
        if (!TOperation.LatchesUpdates) header = RecordHeader.Read(record);
        else if (!attempt.TryLatch(record, out header)) return Outcome.Retry;
        bool fits = false;
        if ((header & (RecordHeader.Tombstone | RecordHeader.Sealed)) == 0)
        {
            if (!TOperation.LatchesUpdates && !attempt.TryStamp(record, header)) return Outcome.Retry;
            TProbe.Point(ProbePoint.RecordUpdate);
            var current = new ValueSlot(value, TOperation.ValueSize);
            fits = operation.ConcurrentWrite(ref current);
        }

        if (TOperation.LatchesUpdates) attempt.Unlatch(record, fits ? attempt.Stamp(header) : header);
        return fits ? Outcome.Ok : Outcome.NotFound;
    }

    /// <summary>
    /// The value does not lie in the mutable region as a live record with room enough: revive, replace or append.
    /// </summary>
    private static unsafe Outcome Elsewhere<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, HashBucket* bucket)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (TMode.CopiesOld && !attempt.TryEnterExclusive(hash)) return Outcome.Latched;
        uint tag = HashBits.TagOf(hash);
        for (;;)
        {
            Outcome found = attempt.FindMutable<TKey, TMode>(key, bucket, tag, out ChainPosition at);
            if (found > Outcome.NotFound) return attempt.GiveUp(found);
            if (found == Outcome.Ok && at.IsTombstone && TryRevive(attempt, ref operation, at)) return Outcome.Ok;
            if (found == Outcome.Ok && at.IsCached && TryUpdateFound(attempt, ref operation, at)) return Outcome.Ok;

            if (!attempt.HasReserved)
            {
                int length = TOperation.ValueSize != 0 ? TOperation.ValueSize : operation.Length;
                int capacity = found == Outcome.Ok ? at.CapacityFor(length, TOperation.ValueSize) : length;
                if (!attempt.TryReserve(key, TOperation.ValueSize, length, capacity))
                    return attempt.GiveUp(Outcome.NoRoom);
                operation.SingleWrite(attempt.ReservedValue(TOperation.ValueSize));
            }

            if (attempt.TryLinkReserved(bucket, tag, at)) return Outcome.Ok;
        }
    }

    // The hit path does not look behind a cached prefix.
    private static unsafe bool TryUpdateFound(Attempt<TProbe> attempt, ref TOperation operation, in ChainPosition at)
    {
        if (at.IsTombstone) return false;
        TProbe.Point(ProbePoint.RecordUpdate);
        var current = new ValueSlot(at.Value, TOperation.ValueSize);
        if (!operation.ConcurrentWrite(ref current)) return false;
        attempt.Unlatch(at.Record, attempt.Stamp(at.Header));
        attempt.Discard();
        return true;
    }

    private static unsafe bool TryRevive(Attempt<TProbe> attempt, ref TOperation operation, in ChainPosition at)
    {
        var value = new ValueSlot(at.Value, TOperation.ValueSize);
        int length = TOperation.ValueSize != 0 ? TOperation.ValueSize : operation.Length;
        if (length > value.Capacity) return false;

        // Made elsewhere first: who reads without a latch may have seen the record before it was deleted.
        ValueBuffer buffer = attempt.Buffer;
        buffer.Clear();
        Span<byte> fresh = buffer.GetSpan(length)[..length];
        fresh.Clear();
        operation.SingleWrite(fresh);
        _ = value.TryReplace(fresh);
        attempt.Unlatch(at.Record, attempt.Stamp(at.Header & ~RecordHeader.Tombstone));
        attempt.Discard();
        return true;
    }
}
