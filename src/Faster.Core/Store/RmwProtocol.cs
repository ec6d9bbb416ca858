using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>Read-modify-write (paper 000 App. G, Algorithm 4; Table 2).</summary>
/// <remarks>
/// In place in the mutable region; by a copy at the tail below the safe-read-only address; not at all in the fuzzy
/// region between, where others may still be updating what would be copied (the lost-update anomaly, §6.2): the
/// attempt is given up, and the session tries again when the marker has moved. On disk: after the record has been
/// read.
/// </remarks>
internal readonly struct RmwProtocol<TProbe, TOperation> : IProtocol<TProbe, TOperation>
    where TProbe : struct, IProbe
    where TOperation : struct, IRmwOperation
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHit<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong word, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        RecordAllocator<TProbe> log = attempt.Log;
        long address = HashIndex<TProbe>.AddressOf(word);
        if (address < log.ReadOnlyAddress) return false;
        byte* record = log.Pointer(address);
        return key.Matches(record + RecordHeader.Size)
            && TryInPlace(attempt, record, record + RecordHeader.Size + key.SlotSize, ref operation);
    }

    /// <inheritdoc/>
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (TOperation.ValueSize == 0 && attempt.Prepared is { IsDone: false }) return Outcome.Oversized;
        if (!attempt.TryLocate(hash, out HashBucket* bucket)) return Outcome.Growing;
        uint tag = HashBits.TagOf(hash);
        ValueBuffer buffer = attempt.Buffer;
        bool mayCopy = !TMode.CopiesOld;
        for (;;)
        {
            Outcome found = attempt.FindMutable<TKey, TMode>(key, hash, bucket, out ChainPosition at);
            if (found > Outcome.NotFound) return attempt.GiveUp(found);
            if (found == Outcome.Ok && TryUpdateFound(attempt, ref operation, at)) return Outcome.Ok;
            if (!mayCopy)
            {
                mayCopy = attempt.TryTakeBucket(hash);
                if (mayCopy) continue;
                return Outcome.Latched;
            }

            buffer.Clear();
            Outcome made = found == Outcome.Ok
                ? MakeFromMutable(attempt, key.SlotSize, ref operation, at, disk)
                : MakeFromImmutable<TKey, TMode>(attempt, key, hash, ref operation, at, disk);
            if (made != Outcome.Ok) return attempt.GiveUp(made);
            bool isPrepared = TOperation.ValueSize == 0 && attempt.Prepared is not null;
            if (isPrepared && !attempt.Prepared!.IsDone) return attempt.GiveUp(Outcome.Oversized);
            if (!isPrepared)
            {
                Check(buffer);
                if (found == Outcome.Ok && at.IsTombstone && TryRevive(attempt, buffer, at)) return Outcome.Ok;
            }

            if (!TryReserve(attempt, key, at, isPrepared)) return attempt.GiveUp(Outcome.NoRoom);
            if (attempt.TryLinkReserved(bucket, tag, at)) return Outcome.Ok;
        }
    }

    /// <summary>Updates the key's record in the mutable region.</summary>
    /// <returns>
    /// False, and nothing has been done: it is dead, somebody has its latch, or the new value does not fit.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe bool TryInPlace(
        Attempt<TProbe> attempt, byte* record, byte* value, ref TOperation operation)
    {
        if (!attempt.TryBegin(record, TOperation.LatchesUpdates, out ulong header)) return false;
        TProbe.Point(ProbePoint.RecordUpdate);
        var current = new ValueSlot(value, TOperation.ValueSize);
        bool fits = operation.InPlaceUpdate(ref current);
        if (TOperation.LatchesUpdates) attempt.Unlatch(record, fits ? attempt.Stamp(header) : header);
        return fits;
    }

    /// <summary>Updates a live record that was found and latched; where it does not fit the latch is kept.</summary>
    private static unsafe bool TryUpdateFound(Attempt<TProbe> attempt, ref TOperation operation, in ChainPosition at)
    {
        if (at.IsTombstone || at.IsLarge) return false;
        TProbe.Point(ProbePoint.RecordUpdate);
        var current = new ValueSlot(at.Value, TOperation.ValueSize);
        if (!operation.InPlaceUpdate(ref current)) return false;
        attempt.Unlatch(at.Record, attempt.Stamp(at.Header));
        attempt.Discard();
        return true;
    }

    // The value is made anew at every turn of the loop; room taken for an earlier one is kept if it is right.
    private static bool TryReserve<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, in ChainPosition at, bool isPrepared)
        where TKey : struct, IKey, allows ref struct
    {
        ValueBuffer buffer = attempt.Buffer;
        int length = buffer.Written.Length;
        if (TOperation.ValueSize == 0) attempt.Discard();
        if (isPrepared) return LargeValues.TryReserve(attempt, key, attempt.Prepared!.Head);
        if (!attempt.HasReserved && !attempt.TryReserve(
            key, TOperation.ValueSize, length, at.CapacityFor(length, TOperation.ValueSize))) return false;
        buffer.Written.CopyTo(attempt.ReservedValue(TOperation.ValueSize));
        return true;
    }

    /// <summary>Makes the new value from the latched record.</summary>
    private static unsafe Outcome MakeFromMutable(
        Attempt<TProbe> attempt, int keySlot, ref TOperation operation, in ChainPosition at, DiskRecord? disk)
    {
        if (TOperation.ValueSize == 0 && at.IsLarge && !at.IsTombstone)
            return MakeFromLarge(attempt, keySlot, ref operation, disk, at.Address, LargeValues.HeadAt(at.Value));
        LargeValues.Update(attempt, keySlot, ref operation, !at.IsTombstone, Value(at.Value));
        return Outcome.Ok;
    }

    private static Outcome MakeFromLarge(
        Attempt<TProbe> attempt, int keySlot, ref TOperation operation, DiskRecord? disk, long address,
        ReadOnlySpan<byte> head)
    {
        Outcome found = LargeValues.Find(attempt, disk, address, head, out ReadOnlySpan<byte> old);
        if (found == Outcome.Large) return found;
        LargeValues.Update(attempt, keySlot, ref operation, found == Outcome.Ok, old, disk?.Gathered);
        return Outcome.Ok;
    }

    /// <summary>
    /// Makes the new value from the key's record that is not updated in place any more, in memory or from disk.
    /// </summary>
    private static unsafe Outcome MakeFromImmutable<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, in ChainPosition at,
        DiskRecord? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator<TProbe> log = attempt.Log;
        long safe = log.SafeReadOnlyAddress;
        if (at.IsCached && attempt.Cache.Find(key, at.Word) is var cached && cached != null)
        {
            LargeValues.Update(
                attempt, key.SlotSize, ref operation, true, Value(cached + RecordHeader.Size + key.SlotSize));
            return Outcome.Ok;
        }

        long address = at.Chain;
        byte* record = log.Find(key, hash, log.HeadAddress, ref address, out ulong header);
        if (record != null)
        {
            bool isTombstone = (header & RecordHeader.Tombstone) != 0;
            if (TMode.StopsAtNext && attempt.MustShift(address, header)) return Outcome.Shift;
            bool isFinal = address < safe || (isTombstone && (header & RecordHeader.Sealed) != 0)
                || (TMode.CopiesOld && attempt.MustCopy(address, header));
            if (!isFinal && !TProbe.Has(SeededBug.CopyInFuzzyRegion)) return Outcome.Fuzzy;
            TProbe.Point(ProbePoint.RecordUpdate);
            byte* value = record + RecordHeader.Size + key.SlotSize;
            if (TOperation.ValueSize == 0 && !isTombstone && (header & RecordHeader.Large) != 0)
                return MakeFromLarge(attempt, key.SlotSize, ref operation, disk, address, LargeValues.HeadAt(value));
            LargeValues.Update(attempt, key.SlotSize, ref operation, !isTombstone, Value(value));
            return Outcome.Ok;
        }

        if (address < log.BeginAddress)
        {
            LargeValues.Update(attempt, key.SlotSize, ref operation, false, default);
            return Outcome.Ok;
        }

        // What is known of the disk holds only if the chain on disk still begins where the walk began.
        if (disk is null || disk.ChainStart != address)
        {
            attempt.Wanted = address;
            return Outcome.OnDisk;
        }

        attempt.Cache.OnMiss(disk);
        if (TOperation.ValueSize == 0 && disk is { Found: true, IsLarge: true })
            return MakeFromLarge(attempt, key.SlotSize, ref operation, disk, disk.Address, disk.Value);
        LargeValues.Update(attempt, key.SlotSize, ref operation, disk.Found, disk.Value);
        return Outcome.Ok;
    }

    private static unsafe bool TryRevive(Attempt<TProbe> attempt, ValueBuffer buffer, in ChainPosition at)
    {
        if (at.IsLarge) return false;
        var value = new ValueSlot(at.Value, TOperation.ValueSize);
        if (!value.TryReplace(buffer.Written)) return false;
        attempt.Unlatch(at.Record, attempt.Stamp(at.Header & ~RecordHeader.Tombstone));
        attempt.Discard();
        return true;
    }

    private static unsafe ReadOnlySpan<byte> Value(byte* slot) => TOperation.ValueSize != 0
        ? new ReadOnlySpan<byte>(slot, TOperation.ValueSize)
        : new ReadOnlySpan<byte>(slot + VariableLength.ValuePrefix, *(int*)slot);

    private static void Check(ValueBuffer buffer)
    {
        if (TOperation.ValueSize == 0 || buffer.Written.Length == TOperation.ValueSize) return;
        throw new UserFunctionException(
            $"An updater wrote {buffer.Written.Length} bytes where every value has {TOperation.ValueSize}.");
    }
}
