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
/// read. Where values are merged (§6.3, CRDTs), neither waits: a partial record is linked in front.
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
        // The header first: only it says that a key stands behind it.
        if (!attempt.MayUpdate(record, TOperation.Merges, out ulong header)) return false;
        if (!key.Matches(record + RecordHeader.Size)) return false;
        byte* value = record + RecordHeader.Size + key.SlotSize;
        return TryInPlace(attempt, record, header, value, ref operation);
    }

    /// <inheritdoc/>
    public static unsafe bool TryHitExpiring<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong word, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        if (!ExpiringHit<TProbe>.TryHold(attempt, key, word, out ChainPosition at)) return false;
        if (TryUpdateFound(attempt, ref operation, at)) return true;
        attempt.Unlatch(at.Record, at.Header);
        return false;
    }

    /// <inheritdoc/>
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (TOperation.ValueSize == 0 && LargeValues.MustWrite(attempt)) return Outcome.Oversized;
        if (!attempt.TryLocate(hash, out HashBucket* bucket)) return Outcome.Growing;
        uint tag = HashBits.TagOf(hash);
        ValueBuffer buffer = attempt.Buffer;
        bool mayCopy = !TMode.CopiesOld;
        for (;;)
        {
            Outcome found = attempt.FindMutable<TKey, TMode>(key, hash, bucket, out ChainPosition at);
            if (found > Outcome.NotFound) return attempt.GiveUp(found);
            if (found == Outcome.Ok && TryUpdateFound(attempt, ref operation, at)) return Outcome.Ok;
            if (!mayCopy && !(TProbe.Has(SeededBug.CachedWithoutBucket) && at.IsCached))
            {
                mayCopy = attempt.TryTakeBucket(hash);
                if (mayCopy) continue;
                return Outcome.Latched;
            }

            buffer.Clear();
            if (TOperation.Merges) attempt.Partials.Clear();
            var draft = new UpdateDraft();
            Outcome made = found == Outcome.Ok
                ? MakeFromFound<TKey, TMode>(attempt, key, hash, ref operation, at, disk, ref draft)
                : MakeFromImmutable<TKey, TMode>(attempt, key, hash, ref operation, ref at, disk, ref draft);
            if (made != Outcome.Ok) return attempt.GiveUp(made);
            bool isPrepared = TOperation.ValueSize == 0 && attempt.Large.Prepared is not null;
            if (isPrepared && !attempt.Large.Prepared!.IsDone) return attempt.GiveUp(Outcome.Oversized);
            long expiry = attempt.Clock.Renewed(draft.Expiry);
            if (!isPrepared)
            {
                Check(buffer);
                if (found == Outcome.Ok && at.IsTombstone && TryRevive(attempt, buffer, at, expiry)) return Outcome.Ok;
            }

            if (!TryReserve(attempt, key, at, isPrepared, expiry, draft)) return attempt.GiveUp(Outcome.NoRoom);
            if (isPrepared) draft.Flags |= RecordHeader.Large;
            Outcome linked = Link(attempt, bucket, tag, at, key.SlotSize, draft);
            if (linked == Outcome.Retry) continue;
            if (TOperation.Merges) Tell(attempt, hash, draft.Flags);
            if (linked != Outcome.Ok) return linked;
            bool supersedes = (draft.Flags & RecordHeader.Delta) == 0;
            return supersedes ? ChainUpkeep<TProbe>.Linked(attempt.Log, key, hash, at) : Outcome.Ok;
        }
    }

    /// <summary>Updates the key's record in the mutable region, which may be updated by its header.</summary>
    /// <returns>
    /// False, and nothing has been done: its header has changed, or the new value does not fit.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe bool TryInPlace(
        Attempt<TProbe> attempt, byte* record, ulong header, byte* value, ref TOperation operation)
    {
        if (!attempt.TryBegin(record, header, TOperation.LatchesUpdates)) return false;
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
        if (at.IsDelta && !TOperation.Merges) throw PartialValues.NoMerger(at.Address);
        long expiry = attempt.Clock.Renewed(at.Expiry);
        if (!at.CanExpire(expiry)) return false;
        TProbe.Point(ProbePoint.RecordUpdate);
        var current = new ValueSlot(at.Value, TOperation.ValueSize);
        if (!operation.InPlaceUpdate(ref current)) return false;
        TProbe.Point(ProbePoint.RecordUpdate);
        at.Renew(expiry);
        attempt.Unlatch(at.Record, attempt.Stamp(at.Header));
        attempt.Discard();
        return true;
    }

    // What is made of a record that expires is linked under its latch, and stands if that one was alive then. If parts
    // are left when it is not, the operation begins again with these.
    private static unsafe Outcome Link(
        Attempt<TProbe> attempt, HashBucket* bucket, uint tag, in ChainPosition at, int keySlot, in UpdateDraft draft)
    {
        if (TOperation.Merges && draft.IsMerged)
        {
            if (!MergedLink<TProbe>.TryLink(
                attempt, bucket, tag, at, draft.Flags, keySlot, TOperation.ValueSize, out bool isAlive))
                return Outcome.Retry;
            return isAlive ? Outcome.Ok : Outcome.Expired;
        }

        bool confirms = draft.AliveUntil != RecordExpiry.Never;
        ulong flags = confirms ? draft.Flags | RecordHeader.Latch : draft.Flags;
        if (!attempt.TryLinkReserved(bucket, tag, at, flags)) return Outcome.Retry;
        return confirms ? attempt.Confirm(draft.AliveUntil) : Outcome.Ok;
    }

    // The value is made anew at every turn of the loop; room taken for an earlier one is kept if it is right.
    private static bool TryReserve<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, in ChainPosition at, bool isPrepared, long expiry,
        in UpdateDraft draft)
        where TKey : struct, IKey, allows ref struct
    {
        ValueBuffer buffer = attempt.Buffer;
        int length = buffer.Written.Length;
        if (TOperation.ValueSize == 0) attempt.Discard();
        if (isPrepared)
        {
            LargeWrite<TProbe> prepared = attempt.Large.Prepared!;
            int other = draft.IsMerged && prepared.Without is null ? attempt.Partials.WithoutWhole.Length : 0;
            return LargeValues.TryReserve(attempt, key, prepared.Head, expiry, other);
        }

        int capacity = at.CapacityFor(length, TOperation.ValueSize);
        if (draft.IsMerged) capacity = Math.Max(capacity, attempt.Partials.WithoutWhole.Length);
        if (!attempt.TryKeepRoom(expiry)
            && !attempt.TryReserve(key, TOperation.ValueSize, length, capacity, expiry)) return false;
        buffer.Written.CopyTo(attempt.ReservedValue(TOperation.ValueSize));
        return true;
    }

    private static Outcome MakeFromLarge(
        Attempt<TProbe> attempt, int keySlot, ref TOperation operation, DiskRecord? disk, long address,
        ReadOnlySpan<byte> head, ref UpdateDraft draft)
    {
        Outcome found = LargeValues.Find(attempt, disk, address, head, out ReadOnlySpan<byte> old);
        if (found == Outcome.Large) return found;
        if (found != Outcome.Ok) draft.Forget();
        LargeValues.Update(attempt, keySlot, ref operation, found == Outcome.Ok, old, disk?.Gathered);
        return Outcome.Ok;
    }

    /// <summary>Makes the new value from the latched record, which is dead or too small.</summary>
    private static unsafe Outcome MakeFromFound<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, in ChainPosition at,
        DiskRecord? disk, ref UpdateDraft draft)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (TOperation.Merges && at.IsDelta)
        {
            return DeltaUpdate<TProbe, TOperation>.Make<TKey, TMode>(
                attempt, key, hash, ref operation, at, disk, ref draft);
        }

        int keySlot = key.SlotSize;
        draft.Expiry = at.KeptExpiry;
        if (TOperation.ValueSize == 0 && at.IsLarge && !at.IsTombstone)
        {
            return MakeFromLarge(
                attempt, keySlot, ref operation, disk, at.Address, LargeValues.HeadAt(at.Value), ref draft);
        }

        LargeValues.Update(attempt, keySlot, ref operation, !at.IsTombstone, Value(at.Value));
        return Outcome.Ok;
    }

    /// <summary>
    /// Makes the new value from the key's record that is not updated in place any more, in memory or from disk.
    /// </summary>
    private static unsafe Outcome MakeFromImmutable<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, ref ChainPosition at,
        DiskRecord? disk, ref UpdateDraft draft)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator<TProbe> log = attempt.Log;
        long safe = log.SafeReadOnlyAddress;
        if (at.IsCached && attempt.Cache.Find(key, at.Word) is var cached && cached != null)
        {
            byte* slot = RecordExpiry.Value(cached, RecordHeader.Read(cached), key.SlotSize, out long until);
            return MakeFrom(
                attempt, key.SlotSize, ref operation, draft.Begin(attempt.Clock, until), Value(slot));
        }

        long address = at.Chain;
        byte* record = log.Find(key, hash, log.HeadAddress, ref address, out ulong header);
        if (record != null)
        {
            bool isTombstone = (header & RecordHeader.Tombstone) != 0;
            if (TMode.StopsAtNext && attempt.MustShift(address, header)) return Outcome.Shift;
            bool isOld = TMode.CopiesOld && attempt.MustCopy(address, header);
            bool isFinal = address < safe || (isTombstone && (header & RecordHeader.Sealed) != 0) || isOld;
            if (!isFinal && !TProbe.Has(SeededBug.CopyInFuzzyRegion))
            {
                // Where chains are spliced, the record has come into it since FindMutable looked. A sealed one is about
                // to be collapsed: readers would take it for immutable if it had another one in front of it already.
                bool isSealed = (header & RecordHeader.Sealed) != 0;
                bool mayBegin = TOperation.Merges && !log.Splices && !isSealed;
                return mayBegin
                    ? DeltaUpdate<TProbe, TOperation>.Begin(attempt, ref operation, ref draft)
                    : Outcome.Fuzzy;
            }

            if (RecordExpiry.IsUnconfirmed(header)) return Outcome.Retry;
            if ((header & RecordHeader.Delta) != 0)
            {
                if (!TOperation.Merges) throw PartialValues.NoMerger(address);
                var delta = new ChainPosition { Record = record, Address = address, Header = header };
                if (isOld && address >= safe)
                {
                    if (!DeltaUpdate<TProbe, TOperation>.TryHold(attempt, key, ref at, delta)) return Outcome.Retry;
                    delta = at;
                }

                return DeltaUpdate<TProbe, TOperation>.Make<TKey, TMode>(
                    attempt, key, hash, ref operation, delta, disk, ref draft);
            }

            TProbe.Point(ProbePoint.RecordUpdate);
            byte* value = RecordExpiry.Value(record, header, key.SlotSize, out long expiry);
            Outcome life = isTombstone ? Outcome.NotFound : draft.Begin(attempt.Clock, expiry);
            if (life == Outcome.Ok && TOperation.ValueSize == 0 && (header & RecordHeader.Large) != 0)
            {
                return MakeFromLarge(
                    attempt, key.SlotSize, ref operation, disk, address, LargeValues.HeadAt(value), ref draft);
            }

            return MakeFrom(attempt, key.SlotSize, ref operation, life, Value(value));
        }

        return MakeFromDisk(attempt, key.SlotSize, hash, ref operation, disk, address, ref draft);
    }

    /// <summary>Makes the new value from what lies on disk behind an address, if that is known.</summary>
    private static Outcome MakeFromDisk(
        Attempt<TProbe> attempt, int keySlot, ulong hash, ref TOperation operation, DiskRecord? disk, long address,
        ref UpdateDraft draft)
    {
        long begin = attempt.Log.BeginAddress;
        if (address < begin)
        {
            LargeValues.Update(attempt, keySlot, ref operation, false, default);
            return Outcome.Ok;
        }

        // What is known of the disk holds only if the chain on disk still begins where the walk began.
        if (disk is null || disk.ChainStart != address)
        {
            if (TOperation.Merges && (disk is not null || !attempt.Merges.IsMarked(hash)))
                return DeltaUpdate<TProbe, TOperation>.Begin(attempt, ref operation, ref draft);
            attempt.Wanted = address;
            return Outcome.OnDisk;
        }

        attempt.Cache.OnMiss(disk);
        if (disk.Partials.Count != 0)
            return DeltaUpdate<TProbe, TOperation>.Collapse(attempt, keySlot, ref operation, disk, ref draft);
        bool exists = disk.Found && disk.Address >= begin;
        Outcome life = exists ? draft.Begin(attempt.Clock, disk.Expiry) : Outcome.NotFound;
        return life == Outcome.Ok && TOperation.ValueSize == 0 && disk.IsLarge
            ? MakeFromLarge(attempt, keySlot, ref operation, disk, disk.Address, disk.Value, ref draft)
            : MakeFrom(attempt, keySlot, ref operation, life, disk.Value);
    }

    // Of an old value that is alive, or of none.
    private static Outcome MakeFrom(
        Attempt<TProbe> attempt, int keySlot, ref TOperation operation, Outcome life, ReadOnlySpan<byte> old)
    {
        if (life == Outcome.Expired) return life;
        LargeValues.Update(attempt, keySlot, ref operation, life == Outcome.Ok, old);
        return Outcome.Ok;
    }

    private static void Tell(Attempt<TProbe> attempt, ulong hash, ulong flags)
    {
        if ((flags & RecordHeader.Delta) != 0) attempt.Merges.OnAppended();
        else if (attempt.Partials.Count != 0) attempt.Merges.OnCollapsed(hash, attempt.Partials.Deltas);
    }

    private static unsafe bool TryRevive(
        Attempt<TProbe> attempt, ValueBuffer buffer, in ChainPosition at, long expiry)
    {
        if (at.IsLarge || !at.CanExpire(expiry)) return false;
        var value = new ValueSlot(at.Value, TOperation.ValueSize);
        if (TProbe.Has(SeededBug.RenewBeforeWrite)) at.Renew(expiry);
        TProbe.Point(ProbePoint.RecordUpdate);
        if (!value.TryReplace(buffer.Written)) return false;
        TProbe.Point(ProbePoint.RecordUpdate);
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
