using System.Runtime.CompilerServices;
using Faster.Chains;
using Faster.Contracts;
using Faster.Expiry;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>Read-modify-write (paper 000 App. G, Algorithm 4; Table 2).</summary>
/// <remarks>
/// By the place of the key's newest record, in the order in which <see cref="TryUnderEpoch"/> asks: in place in the
/// mutable region; by a copy at the tail below the safe-read-only address; not at all in the fuzzy
/// region between, where other sessions may still update the record that would be copied (the lost-update anomaly,
/// §6.2): the attempt ends, and the session tries again when the marker has moved. On disk: after the record has been
/// read. Where values are merged (§6.3, CRDTs), neither waits: a delta is linked in front.
/// <para>It has created the record, and says so, exactly if the value that took effect was made from none.</para>
/// </remarks>
internal readonly struct RmwAlgorithm<TEntries, TOperation> : IAlgorithm<TOperation>
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, IRmwOperation
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHit<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        bool begun = Attempt.TryBegin(
            attempt, view, key, record, TOperation.LatchesUpdates, TOperation.Merges, out ulong header);
        if (!begun) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        var value = ValueLayout.At(record + RecordHeader.Size + key.SlotSize, TOperation.ValueSize);
        bool fits = operation.InPlaceUpdate(ref value);
        if (TOperation.LatchesUpdates && fits) attempt.UnlatchUpdated(record, header);
        else if (TOperation.LatchesUpdates) attempt.Unlatch(record, header);
        return fits;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHitUnlatched<TKey>(
        QuietView* view, RecentTime* time, scoped TKey key, byte* record, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        if (!RecordValue<TOperation>.IsUnlatched || TOperation.Merges) return false;
        if (!view->IsUpdatableUnlatched<TKey>(record, key, time, keeps: true)) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        RecordHeader.Stamp(record, view->VersionCode);
        var value = ValueLayout.At(
            record + RecordHeader.Size + key.SlotSize + RecordExpiry.Size, TOperation.ValueSize);
        return operation.InPlaceUpdate(ref value);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHitExpiring<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address, bool judges,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        if (!ExpiringHit.TryHold(attempt, key, record, address, judges, out ChainPosition at)) return false;
        if (TryUpdateFound(attempt, ref operation, at)) return true;
        attempt.Unlatch(at.Record, at.Header);
        return false;
    }

    /// <inheritdoc/>
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (TOperation.ValueSize == 0 && LargeValues.MustWrite(attempt)) return Outcome.Oversized;
        Outcome located = attempt.Locate<TEntries>(hash, out EntryRef entry);
        if (located != Outcome.Ok) return located;
        bool mayCopy = !TMode.CopiesOld || attempt.Bucket.IsFree;
        for (;;)
        {
            Outcome found = attempt.FindMutable<TKey, TMode, TEntries>(key, hash, entry, out ChainPosition at);
            if (found > Outcome.NotFound) return attempt.GiveUp(found);
            if (found == Outcome.Ok && TryUpdateFound(attempt, ref operation, at)) return Outcome.Ok;
            if (found == Outcome.Ok && !at.IsTombstone && IsUpdatedElsewhere(attempt, at))
            {
                _ = attempt.GiveUp(Outcome.Fuzzy);
                attempt.Clock.EndUnlatched(attempt.Tier.Core.Epochs);
                return Outcome.Fuzzy;
            }

            if (!mayCopy && !(Probe.On && Probe.Has(SeededBug.CachedWithoutBucket) && at.IsCached))
            {
                mayCopy = attempt.TryTakeBucket(hash);
                if (mayCopy) continue;
                return Outcome.BucketLatched;
            }

            attempt.Buffer.Clear();
            if (TOperation.Merges) attempt.Deltas.Clear();
            var result = new UpdateDetails();
            Outcome made = found == Outcome.Ok
                ? MakeFromFound<TKey, TMode>(attempt, key, hash, ref operation, at, disk, ref result)
                : MakeFromImmutable<TKey, TMode>(attempt, key, hash, ref operation, ref at, disk, ref result);
            if (made <= Outcome.Created && TOperation.ValueSize == 0 && LargeValues.LacksFragments(attempt))
                made = Outcome.Oversized;
            if (made > Outcome.Created) return attempt.GiveUp(made);
            result.Expiry = attempt.Clock.Renewed(result.Expiry);
            if (found == Outcome.Ok && MayPut(attempt, at, result.Expiry)
                && UpdatedRecord<TOperation>.TryRevive(attempt, at, result.Expiry))
                return made;
            if (!UpdatedRecord<TOperation>.TryReserve(attempt, key, at, ref result))
                return attempt.GiveUp(Outcome.AllocationFailed);
            Outcome linked = UpdatedRecord<TOperation>.Link<TEntries>(attempt, at, hash, key.SlotSize, result);
            if (linked == Outcome.Retry) continue;
            if (linked is not (Outcome.Ok or Outcome.Expired)) return attempt.GiveUp(linked);
            if (linked != Outcome.Ok) return linked;
            if ((result.Flags & RecordHeader.Delta) == 0)
                _ = ChainMaintenance.Linked(attempt.Log, key, hash, at);
            return made;
        }
    }

    // Whether the latched record may be given an expiry.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool MayPut(Attempt attempt, in ChainPosition at, long expiry) =>
        !RecordValue<TOperation>.IsUnlatched || attempt.Clock.MayPut(at.Expiry, expiry);

    // Whether the live, latched record can't be given its new expiry, and other sessions may be updating it without its
    // latch: what they add would be lost if a copy replaced it.
    private static bool IsUpdatedElsewhere(Attempt attempt, in ChainPosition at)
    {
        if (TOperation.LatchesUpdates || attempt.Clock.HasNoUnlatched) return false;
        long expiry = attempt.Clock.Renewed(at.Expiry);
        return !at.CanExpire(expiry) || !MayPut(attempt, at, expiry);
    }

    /// <summary>Updates a live, latched record; keeps the latch if the new value does not fit.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe bool TryUpdateFound(Attempt attempt, ref TOperation operation, in ChainPosition at)
    {
        if (at.IsTombstone || at.IsLarge) return false;
        if (at.IsDelta && !TOperation.Merges) throw DeltaValues.NoMerger(at.Address);
        long expiry = attempt.Clock.Renewed(at.Expiry);
        if (!at.CanExpire(expiry) || !MayPut(attempt, at, expiry)) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        var current = ValueLayout.At(at.Value, TOperation.ValueSize);
        if (!operation.InPlaceUpdate(ref current)) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        at.Renew(expiry);
        attempt.UnlatchUpdated(at.Record, at.Header);
        attempt.Reservation.GiveBack();
        return true;
    }

    /// <summary>Makes the new value from the latched record, which is dead or too small.</summary>
    private static unsafe Outcome MakeFromFound<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, in ChainPosition at,
        ChainReadResult? disk, ref UpdateDetails result)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (TOperation.Merges && at.IsDelta)
        {
            return DeltaUpdate<TOperation>.Make<TKey, TMode>(attempt, key, hash, ref operation, at, disk, ref result);
        }

        int keySlot = key.SlotSize;
        result.Expiry = at.KeptExpiry;
        if (TOperation.ValueSize == 0 && at.IsLarge && !at.IsTombstone)
        {
            return FromLarge(
                attempt, key, hash, ref operation, disk, at.Address, LargeValues.HeadAt(at.Value), ref result);
        }

        ReadOnlySpan<byte> old = RecordValue<TOperation>.At(at.Value);
        return CopyUpdate.Run(attempt, keySlot, ref operation, !at.IsTombstone, old);
    }

    /// <summary>
    /// Makes the new value from the key's immutable record, in memory or from disk.
    /// </summary>
    private static unsafe Outcome MakeFromImmutable<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ref ChainPosition at,
        ChainReadResult? disk, ref UpdateDetails result)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator log = attempt.Log;
        long safe = log.SafeReadOnlyAddress;
        if (at.IsCached && attempt.Cache.Find(key, at.Entry) is var cached && cached != null)
        {
            byte* slot = RecordExpiry.Value(cached, RecordHeader.Read(cached), key.SlotSize, out long until);
            Outcome life = result.Begin(attempt.Clock, until);
            return CopyUpdate.From(attempt, key.SlotSize, ref operation, life, RecordValue<TOperation>.At(slot));
        }

        long address = at.Rest;
        byte* record = log.Find(key, hash, log.HeadAddress, ref address, out ulong header);
        at.Rest = address;
        if (record != null)
        {
            bool isTombstone = (header & RecordHeader.Tombstone) != 0;
            if (TMode.StopsAtNext && attempt.Version.MustShift(address, header)) return Outcome.CprShift;
            bool isOld = TMode.CopiesOld && attempt.Version.MustCopy(address, header);
            bool isFinal = address < safe || (isTombstone && (header & RecordHeader.Sealed) != 0) || isOld;
            if (!isFinal && !(Probe.On && Probe.Has(SeededBug.CopyInFuzzyRegion)))
            {
                // Where chains are spliced, the record has been linked since FindMutable searched. A sealed one is
                // about to be collapsed: readers would take it for immutable if another record were already in front of
                // it.
                bool isSealed = (header & RecordHeader.Sealed) != 0;
                bool mayBegin = TOperation.Merges && !log.Splices && !isSealed;
                return mayBegin
                    ? DeltaUpdate<TOperation>.Begin(attempt, ref operation, ref result)
                    : Outcome.Fuzzy;
            }

            if (RecordExpiry.IsUnconfirmed(header)) return Outcome.Retry;
            if ((header & RecordHeader.Delta) != 0)
            {
                if (!TOperation.Merges) throw DeltaValues.NoMerger(address);
                var delta = new ChainPosition { Record = record, Address = address, Header = header };
                if (isOld && address >= safe)
                {
                    if (!DeltaUpdate<TOperation>.TryHold(attempt, key, ref at, delta)) return Outcome.Retry;
                    delta = at;
                }

                return DeltaUpdate<TOperation>.Make<TKey, TMode>(
                    attempt, key, hash, ref operation, delta, disk, ref result);
            }

            Probe.Point(ProbePoint.RecordUpdate);
            byte* value = RecordExpiry.Value(record, header, key.SlotSize, out long expiry);
            Outcome life = isTombstone ? Outcome.NotFound : result.Begin(attempt.Clock, expiry);
            if (life == Outcome.Ok && RecordValue<TOperation>.IsLarge(header))
            {
                return FromLarge(
                    attempt, key, hash, ref operation, disk, address, LargeValues.HeadAt(value), ref result);
            }

            return CopyUpdate.From(attempt, key.SlotSize, ref operation, life, RecordValue<TOperation>.At(value));
        }

        return MakeFromDisk(attempt, key, hash, ref operation, disk, address, ref result);
    }

    /// <summary>Makes the new value from the part of the chain that is on disk, if it has been read.</summary>
    private static Outcome MakeFromDisk<TKey>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
        long address, ref UpdateDetails result)
        where TKey : struct, IKey, allows ref struct
    {
        int keySlot = key.SlotSize;
        long begin = attempt.Log.BeginAddress;
        if (address < begin) return MakeFromBelow(attempt, key, hash, ref operation, disk, ref result);

        // The result of the walk on disk holds only if the chain on disk still begins where the walk began.
        if (disk is null || disk.ChainStart != address)
        {
            if (TOperation.Merges && (disk is not null || !attempt.Merges.MustCollapse(hash)))
                return DeltaUpdate<TOperation>.Begin(attempt, ref operation, ref result);
            attempt.Wanted = address;
            return Outcome.OnDisk;
        }

        if (attempt.Below is not null && disk.IsAbsent)
            return MakeFromBelow(attempt, key, hash, ref operation, disk, ref result);
        attempt.Cache.OnMiss(disk);
        if (disk.Deltas.Count != 0)
            return DeltaUpdate<TOperation>.Collapse(attempt, key, hash, ref operation, disk, ref result);

        // A record that has been truncated since the walk was dead, or has moved to the tier below: there it is what
        // the key's record was, since the chain has not changed.
        bool moves = attempt.Below is not null && !(Probe.On && Probe.Has(SeededBug.MovedSinceReadIsAbsent));
        bool exists = disk.Found && (disk.Address >= begin || moves);
        Outcome life = exists ? result.Begin(attempt.Clock, disk.Expiry) : Outcome.NotFound;
        return life == Outcome.Ok && TOperation.ValueSize == 0 && disk.IsLarge
            ? FromLarge(attempt, key, hash, ref operation, disk, disk.Address, disk.Value, ref result)
            : CopyUpdate.From(attempt, keySlot, ref operation, life, disk.Value);
    }

    /// <summary>
    /// Makes the new value from the record of the tier below, if there is one (paper 003, Algorithm 1). It is linked by
    /// a swap from the word of the entry that showed that this tier has no record of the key. Where values are merged,
    /// a delta is made instead if the record is not in memory.
    /// </summary>
    private static Outcome MakeFromBelow<TKey>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
        ref UpdateDetails result)
        where TKey : struct, IKey, allows ref struct
    {
        if (attempt.Below is null) return CopyUpdate.Run(attempt, key.SlotSize, ref operation, false, default);
        Outcome found = SearchBelow.Find<TKey, TOperation>(
            attempt, key, hash, disk, Probe.On && Probe.Has(SeededBug.UpdateIgnoresTruncation), out RecordBelow record);
        if (TOperation.Merges && found is (Outcome.OnDisk or Outcome.EntryOnDisk))
            return DeltaUpdate<TOperation>.Begin(attempt, ref operation, ref result);
        if (found > Outcome.NotFound) return found;
        Outcome life = found == Outcome.Ok ? result.Begin(attempt.Clock, record.Expiry) : found;
        ReadOnlySpan<byte> old = record.Value;
        if (life != Outcome.Ok || !record.IsLarge)
            return CopyUpdate.From(attempt, key.SlotSize, ref operation, life, old);
        Outcome whole = LargeValues.FindBelow(attempt, disk, record, out old);
        if (whole == Outcome.Large && !TOperation.Merges) return whole;
        if (whole != Outcome.Ok) result.Forget();
        if (whole == Outcome.Large) return DeltaUpdate<TOperation>.Begin(attempt, ref operation, ref result);
        return CopyUpdate.From(attempt, key.SlotSize, ref operation, whole, old, disk?.Below?.Gathered);
    }

    /// <summary>Makes the new value from one in fragments, wherever that is by now.</summary>
    private static Outcome FromLarge<TKey>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
        long address, ReadOnlySpan<byte> head, ref UpdateDetails result)
        where TKey : struct, IKey, allows ref struct
    {
        Outcome made = CopyUpdate.FromLarge(attempt, key.SlotSize, ref operation, disk, address, head, ref result);
        return made == Outcome.Below ? MakeFromBelow(attempt, key, hash, ref operation, disk, ref result) : made;
    }
}
