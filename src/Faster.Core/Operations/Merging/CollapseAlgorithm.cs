using Faster.Chains;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Probes;

namespace Faster.Operations.Merging;

/// <summary>
/// Conditional insert in a store whose updates merge (paper 000 §6.3, App. C): if a record still counts in its key's
/// value, one whole record with all of that value is linked at the tail.
/// </summary>
/// <remarks>
/// <para>A record counts if the walk from the entry reaches it before a newer tombstone or whole record. Where no delta
/// is in front of a whole record, that record is copied unchanged and nothing else is read, as by
/// <see cref="ConditionalInsertAlgorithm{TEntries,TOperation}"/>.</para>
/// <para>What is linked is the merge of values none of which can change any more: all but the newest by the rule of
/// <see cref="Reconciler{TOperation}"/>; the newest because it lies below the safe read-only address, or because
/// it was sealed and the epoch has passed since (<see cref="HeldDeltas"/>), by the very seal that is claimed
/// before the link. It is linked by a compare-and-swap from the very word from which the walk began. So no update is
/// lost, none counts twice, and the value that readers see does not change at that moment
/// (docs/internals/merging-collapse.md has the
/// proof).</para>
/// <para>A seal is kept from one attempt to the next only while the operation waits for the epoch, or for the space of
/// a value's fragments: neither waits for an operation that waits for the seal. If an attempt ends otherwise, the
/// record is released. If an exception ends it, the operation releases the record when it learns of the failure
/// (<see cref="ICollapse.Sealed"/>).</para>
/// </remarks>
internal readonly struct CollapseAlgorithm<TEntries, TOperation> : IAlgorithm<TOperation>
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, ICollapse
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    /// <inheritdoc/>
    public static unsafe bool TryHit<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => false;

    /// <inheritdoc/>
    public static Outcome TryUnderEpoch<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        Outcome outcome = Try<TKey, TMode>(attempt, key, hash, ref operation, disk);
        if (operation.Sealed == 0 || outcome is Outcome.Retry or Outcome.Oversized) return outcome;
        if (!operation.HeldDeltas.TryLift(operation.Sealed)) return Outcome.Retry;
        operation.Sealed = 0;
        return outcome;
    }

    private static unsafe Outcome Try<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (LargeValues.MustWrite(attempt)) return Outcome.Oversized;
        Outcome located = attempt.Locate<TEntries>(hash, out EntryRef entry);
        if (located != Outcome.Ok) return located;
        if (TMode.CopiesOld && !attempt.Bucket.TryEnterExclusive(hash)) return Outcome.BucketLatched;
        for (;;)
        {
            var at = new ChainPosition { Entry = entry };
            Outcome found = attempt.Entries<TEntries>().Find(ref at.Entry);
            if (found != Outcome.Ok) return attempt.GiveUp(found);
            at.Chain = attempt.Cache.Behind(at.Entry.Address);
            Outcome collected = Collect<TKey, TMode>(
                attempt, key, hash, ref operation, disk, at.Chain, out HeldDeltas.Seal? held);
            if (collected != Outcome.Ok) return attempt.GiveUp(collected);
            DeltaValues deltas = attempt.Deltas;
            bool isMerged = deltas.Count != 0;
            if (deltas.MayLoseWhole) deltas.MergeWithoutWhole(ref operation);
            ReadOnlySpan<byte> value = isMerged ? deltas.Merge(ref operation) : operation.Value;
            ulong flags = isMerged ? 0 : operation.Flags;
            Outcome reserved = Reserve(attempt, key, value, operation.Expiry, ref flags);
            if (reserved != Outcome.Ok) return attempt.GiveUp(reserved);

            if (held is not null && !operation.HeldDeltas.TryClaim(held)) return attempt.GiveUp(Outcome.Retry);
            Outcome linked = deltas.MayLoseWhole
                ? MergedLink.Link<TEntries>(
                    attempt, at, flags, key.SlotSize, attempt.Log.Layout.ValueSize, out _)
                : attempt.LinkReserved<TEntries>(at, flags);
            if (linked == Outcome.Ok)
            {
                operation.Length = value.Length;
                if (isMerged) attempt.Merges.OnCollapsed(hash, deltas.Deltas);
                return Outcome.Ok;
            }

            if (held is not null)
            {
                operation.HeldDeltas.Return(held);
                // The thread that set the seal may have tried to lift it while it was claimed, and left that to this
                // thread.
                if (!(Probe.On && Probe.Has(SeededBug.ReturnedSealIsNobodys))) operation.Sealed = held.Address;
            }

            if (linked != Outcome.Retry) return attempt.GiveUp(linked);
        }
    }

    /// <summary>
    /// Collects the values of the key, if the record counts among them. Collects none if the record's value is the only
    /// one, and not in fragments.
    /// </summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="disk">What has been read from disk for the operation, or null.</param>
    /// <param name="chain">The address at which the chain begins.</param>
    /// <param name="held">
    /// The newest record's seal, if only the seal keeps the record from changing; otherwise null.
    /// </param>
    private static unsafe Outcome Collect<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
            long chain,
        out HeldDeltas.Seal? held)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator log = attempt.Log;
        held = null;
        attempt.Deltas.Clear();
        Probe.Point(ProbePoint.RegionMarker);
        if (operation.Above < log.BeginAddress) return Outcome.NotFound;
        long address = chain;
        byte* record = log.Find(key, hash, log.HeadAddress, ref address, out ulong header);
        if (record == null) return CollectFromDisk(attempt, key, hash, ref operation, disk, address);
        if (TMode.StopsAtNext && attempt.Version.MustShift(address, header)) return Outcome.CprShift;
        if ((header & RecordHeader.Delta) == 0)
            return address == operation.Above ? AddOwn(attempt, ref operation, disk) : Outcome.NotFound;

        long newest = address;
        bool isStill = newest < log.SafeReadOnlyAddress || (Probe.On && Probe.Has(SeededBug.CollapseWithoutSeal));
        if (!isStill) held = operation.HeldDeltas.Held(newest);
        bool isFinal = isStill || held is not null;
        Outcome end = Reconciler<TOperation>.Collect<TKey, TMode>(
            attempt, key, hash, disk, record, header, isFinal, ref address);
        if (end == Outcome.OnDisk) end = CollectFromDisk(attempt, key, hash, ref operation, disk, address);
        else if (end is (Outcome.Ok or Outcome.Below) && address > operation.Above) end = Outcome.NotFound;
        else if (end == Outcome.Below) end = AddBase(attempt, key, hash, ref operation, disk);
        if (end != Outcome.Ok) return end;
        if (isFinal) return Outcome.Ok;

        // All other values are there. A record in the fuzzy region becomes immutable without a seal.
        if (newest >= attempt.MutableFrom && operation.HeldDeltas.TrySeal(record, newest)) operation.Sealed = newest;
        return Outcome.Retry;
    }

    /// <summary>Adds what lies on disk, behind the values in memory, down to the record and what it needs.</summary>
    private static Outcome CollectFromDisk<TKey>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
        long address)
        where TKey : struct, IKey, allows ref struct
    {
        long above = operation.Above;
        DeltaValues deltas = attempt.Deltas;
        if (address < above && !operation.IsDelta) return Outcome.NotFound; // no chain leads to it
        bool isNext = address == above && !operation.IsDelta;
        if (!isNext && (disk is null || disk.ChainStart != address))
        {
            attempt.Wanted = address;
            if (!operation.IsDelta) attempt.WantedFloor = above + 1;
            return Outcome.OnDisk;
        }

        if (operation.IsDelta)
        {
            if (disk!.End > above) return Outcome.NotFound;
            if (BaseBelow.IsOf(attempt, disk))
            {
                deltas.Add(disk.Deltas);
                return AddBase(attempt, key, hash, ref operation, disk);
            }

            Outcome life = disk.Found ? attempt.Clock.Judge(disk.Expiry) : Outcome.NotFound;
            if (life == Outcome.Expired) return life;
            if (life == Outcome.Ok && LargeValues.Lacks(attempt, disk)) return Outcome.Large;
            deltas.Add(disk, life == Outcome.Ok);
            return Outcome.Ok;
        }

        if (!isNext && disk!.End != 0) return Outcome.NotFound;
        if (!isNext) deltas.Add(disk!.Deltas);
        return AddOwn(attempt, ref operation, disk);
    }

    // Algorithm 1 of paper 003: the base must be what the tier below has now.
    private static Outcome AddBase<TKey>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk)
        where TKey : struct, IKey, allows ref struct => BaseBelow.Add<TKey, TOperation>(
            attempt, key, hash, disk, Probe.On && Probe.Has(SeededBug.UpdateIgnoresTruncation), out _);

    /// <summary>Adds the record's own whole value, unless it is the only one and not in fragments.</summary>
    private static Outcome AddOwn(Attempt attempt, ref TOperation operation, ChainReadResult? disk)
    {
        DeltaValues deltas = attempt.Deltas;
        ReadOnlySpan<byte> value = operation.Value;
        if (deltas.Count == 0 && !operation.IsLarge) return Outcome.Ok;
        Outcome life = attempt.Clock.Judge(operation.Expiry);
        if (life != Outcome.Ok) return life;
        if (operation.IsLarge)
        {
            Outcome gathered = LargeValues.Find(attempt, disk, operation.Above, value, out value);
            if (gathered != Outcome.Ok) return gathered;
        }

        deltas.Add(value);
        deltas.EndWithWhole(operation.Expiry);
        return Outcome.Ok;
    }

    /// <summary>Reserves space for the whole record and writes it.</summary>
    /// <returns>Ok; AllocationFailed; or Oversized: the merged value does not fit a page.</returns>
    private static Outcome Reserve<TKey>(
        Attempt attempt, scoped TKey key, ReadOnlySpan<byte> value, long expiry, ref ulong flags)
        where TKey : struct, IKey, allows ref struct
    {
        DeltaValues deltas = attempt.Deltas;
        int valueSize = attempt.Log.Layout.ValueSize;
        if (deltas.Deltas != 0) expiry = RecordExpiry.Never;
        if (valueSize == 0) attempt.Reservation.GiveBack(); // it may have been made for another length
        ReadOnlySpan<byte> without = deltas.MayLoseWhole ? deltas.WithoutWhole : default;
        if (deltas.MayLoseWhole) expiry = deltas.WholeExpiry;
        bool isOtherOversized = LargeValues.IsOversized(attempt, key.SlotSize, without.Length);
        if (valueSize == 0 && (isOtherOversized || LargeValues.IsOversized(attempt, key.SlotSize, value.Length)))
        {
            if (attempt.Large.Prepared is not { } prepared || !prepared.IsMadeFrom(true, value))
            {
                byte[] made = value.ToArray();
                attempt.Large.Drop(); // the fragments of another value: no truncation must wait for them
                attempt.Large.Prepared = prepared = new LargeWrite(made, basis: made) { IsOfCompaction = true };
            }

            prepared.PrepareWithout(isOtherOversized ? without : default);
            if (!prepared.IsDone) return Outcome.Oversized;
            if (isOtherOversized) without = default; // it lies in fragments
            if (!value.IsEmpty) flags |= RecordHeader.Large;
            bool isReserved = value.IsEmpty
                ? attempt.Reservation.TryTake(key, 0, 0, LargeHead.Size, expiry)
                : LargeValues.TryReserve(attempt, key, prepared.Head, expiry, without.Length);
            return isReserved ? Outcome.Ok : Outcome.AllocationFailed;
        }

        attempt.Large.Drop();
        int capacity = Math.Max(value.Length, without.Length);
        if (!attempt.Reservation.TryReuse(expiry)
            && !attempt.Reservation.TryTake(key, valueSize, value.Length, capacity, expiry))
            return Outcome.AllocationFailed;
        value.CopyTo(attempt.Reservation.Value(valueSize));
        return Outcome.Ok;
    }
}
