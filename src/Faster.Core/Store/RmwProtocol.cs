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
            long expiry = at.KeptExpiry, aliveUntil = RecordExpiry.Never;
            if (found == Outcome.Ok)
            {
                if (at.IsTombstone) operation.InitialUpdate(buffer);
                else operation.CopyUpdate(Value(at.Value), buffer);
                Check(buffer);
                if (at.IsTombstone && TryRevive(attempt, buffer, at)) return Outcome.Ok;
            }
            else
            {
                Outcome made = MakeFromImmutable<TKey, TMode>(
                    attempt, key, hash, ref operation, at, disk, out aliveUntil);
                if (made != Outcome.Ok) return attempt.GiveUp(made);
                Check(buffer);
                expiry = aliveUntil;
            }

            // The value is made anew at every turn of the loop; room taken for an earlier one is kept if it is right.
            int length = buffer.Written.Length;
            expiry = attempt.Clock.Renewed(expiry);
            if (TOperation.ValueSize == 0) attempt.Discard();
            if (!attempt.TryKeepRoom(expiry) && !attempt.TryReserve(key, TOperation.ValueSize, length,
                found == Outcome.Ok ? at.CapacityFor(length, TOperation.ValueSize) : length, expiry))
                return attempt.GiveUp(Outcome.NoRoom);
            buffer.Written.CopyTo(attempt.ReservedValue(TOperation.ValueSize));
            if (aliveUntil == RecordExpiry.Never)
            {
                if (attempt.TryLinkReserved(bucket, tag, at)) return Outcome.Ok;
            }
            else if (attempt.TryLinkReserved(bucket, tag, at, RecordHeader.Latch))
            {
                return attempt.Confirm(aliveUntil);
            }
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
        if (at.IsTombstone) return false;
        long expiry = attempt.Clock.Renewed(at.Expiry);
        if (!at.CanExpire(expiry)) return false;
        TProbe.Point(ProbePoint.RecordUpdate);
        var current = new ValueSlot(at.Value, TOperation.ValueSize);
        if (!operation.InPlaceUpdate(ref current)) return false;
        at.Renew(expiry);
        attempt.Unlatch(at.Record, attempt.Stamp(at.Header));
        attempt.Discard();
        return true;
    }

    /// <summary>
    /// Makes the new value from the key's record that is not updated in place any more, in memory or from disk, and
    /// tells when that one expires.
    /// </summary>
    private static unsafe Outcome MakeFromImmutable<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, in ChainPosition at,
        DiskRecord? disk, out long expiry)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        expiry = RecordExpiry.Never;
        RecordAllocator<TProbe> log = attempt.Log;
        long safe = log.SafeReadOnlyAddress;
        if (at.IsCached && attempt.Cache.Find(key, at.Word) is var cached && cached != null)
        {
            byte* slot = RecordExpiry.Value(cached, RecordHeader.Read(cached), key.SlotSize, out expiry);
            return MakeFrom(attempt, ref operation, Value(slot), ref expiry);
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
            if (RecordExpiry.IsUnconfirmed(header)) return Outcome.Retry;
            TProbe.Point(ProbePoint.RecordUpdate);
            if (!isTombstone)
            {
                byte* slot = RecordExpiry.Value(record, header, key.SlotSize, out expiry);
                return MakeFrom(attempt, ref operation, Value(slot), ref expiry);
            }

            operation.InitialUpdate(attempt.Buffer);
            return Outcome.Ok;
        }

        if (address < log.BeginAddress)
        {
            operation.InitialUpdate(attempt.Buffer);
            return Outcome.Ok;
        }

        // What is known of the disk holds only if the chain on disk still begins where the walk began.
        if (disk is null || disk.ChainStart != address)
        {
            attempt.Wanted = address;
            return Outcome.OnDisk;
        }

        attempt.Cache.OnMiss(disk);
        if (disk.Found)
        {
            expiry = disk.Expiry;
            return MakeFrom(attempt, ref operation, disk.Value, ref expiry);
        }

        operation.InitialUpdate(attempt.Buffer);
        return Outcome.Ok;
    }

    // Of a record that does not change any more. One that has expired is none.
    private static Outcome MakeFrom(
        Attempt<TProbe> attempt, ref TOperation operation, ReadOnlySpan<byte> old, ref long expiry)
    {
        Outcome life = attempt.Clock.Judge(expiry);
        if (life == Outcome.Expired) return life;
        if (life == Outcome.Ok)
        {
            operation.CopyUpdate(old, attempt.Buffer);
            return life;
        }

        expiry = RecordExpiry.Never;
        operation.InitialUpdate(attempt.Buffer);
        return Outcome.Ok;
    }

    private static unsafe bool TryRevive(Attempt<TProbe> attempt, ValueBuffer buffer, in ChainPosition at)
    {
        long expiry = attempt.Clock.Renewed(RecordExpiry.Never);
        var value = new ValueSlot(at.Value, TOperation.ValueSize);
        if (!at.CanExpire(expiry) || !value.TryReplace(buffer.Written)) return false;
        at.Renew(expiry);
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
