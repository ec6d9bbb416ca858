using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// Conditional insert in a store whose updates merge (paper 000 §6.3, App. C): if a record still counts in its key's
/// value, one whole record with all of that value is linked at the tail.
/// </summary>
/// <remarks>
/// <para>A record counts if the walk from the entry comes to it before it comes to a newer tombstone or whole record.
/// Where no partial record is in front of a whole one, it is copied as it is and nothing else is read, as by <see
/// cref="ConditionalInsertProtocol{TProbe,TOperation}"/>.</para>
/// <para>What is linked is the merge of values none of which can change any more: all but the newest by the rule of
/// <see cref="Reconciler{TProbe,TOperation}"/>; the newest because it lies below the safe read-only address, or because
/// it was sealed and the epoch has passed since (<see cref="PartSeals{TProbe}"/>), by the very seal that is claimed
/// before the link. It is linked by a swap from the very word from which the walk began. So no update is lost, none
/// counts twice, and the value that readers see does not change at that moment (docs/MERGING.md has the proof).</para>
/// <para>A seal is kept from one attempt to the next only while the epoch, or the room for a value's chunks, is waited
/// for: neither waits for an operation that waits for the seal. Whatever else ends an attempt lets the record go; what
/// an exception has left its operation lets go when it is told (<see cref="ICollapse{TProbe}.Sealed"/>).</para>
/// </remarks>
internal readonly struct CollapseProtocol<TProbe, TOperation> : IProtocol<TProbe, TOperation>
    where TProbe : struct, IProbe
    where TOperation : struct, ICollapse<TProbe>
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    /// <inheritdoc/>
    public static bool TryHit<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong word, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => false;

    /// <inheritdoc/>
    public static Outcome TryUnderEpoch<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        Outcome outcome = Try<TKey, TMode>(attempt, key, hash, ref operation, disk);
        if (operation.Sealed == 0 || outcome is Outcome.Retry or Outcome.Oversized) return outcome;
        if (!operation.Seals.TryLift(operation.Sealed)) return Outcome.Retry;
        operation.Sealed = 0;
        return outcome;
    }

    private static unsafe Outcome Try<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (LargeValues.MustWrite(attempt)) return Outcome.Oversized;
        if (!attempt.TryLocate(hash, out HashBucket* bucket)) return Outcome.Growing;
        if (TMode.CopiesOld && !attempt.TryEnterExclusive(hash)) return Outcome.Latched;
        uint tag = HashBits.TagOf(hash);
        for (;;)
        {
            var at = default(ChainPosition);
            at.Slot = HashIndex<TProbe>.Find(bucket, tag, out at.Word);
            if (at.Slot == null) return attempt.GiveUp(Outcome.NotFound);
            at.Chain = attempt.Cache.Behind(EntryWord.AddressOf(at.Word));
            Outcome collected = Collect<TKey, TMode>(
                attempt, key, hash, ref operation, disk, at.Chain, out PartSeals<TProbe>.Seal? held);
            if (collected != Outcome.Ok) return attempt.GiveUp(collected);
            PartialValues partials = attempt.Partials;
            bool isMerged = partials.Count != 0;
            if (partials.MayLoseWhole) partials.MergeWithoutWhole(ref operation);
            ReadOnlySpan<byte> value = isMerged ? partials.Merge(ref operation) : operation.Value;
            ulong flags = isMerged ? 0 : operation.Flags;
            Outcome reserved = Reserve(attempt, key, value, operation.Expiry, ref flags);
            if (reserved != Outcome.Ok) return attempt.GiveUp(reserved);

            if (held is not null && !operation.Seals.TryClaim(held)) return attempt.GiveUp(Outcome.Retry);
            bool linked = partials.MayLoseWhole
                ? MergedLink<TProbe>.TryLink(
                    attempt, bucket, tag, at, flags, key.SlotSize, attempt.Log.Layout.ValueSize, out _)
                : attempt.TryLinkReserved(bucket, tag, at, flags);
            if (linked)
            {
                operation.Length = value.Length;
                if (isMerged) attempt.Merges.OnCollapsed(hash, partials.Deltas);
                return Outcome.Ok;
            }

            if (held is null) continue;
            operation.Seals.Return(held);
            // Who had set it may have wanted to lift it meanwhile, and left that to who had claimed it.
            if (!TProbe.Has(SeededBug.ReturnedSealIsNobodys)) operation.Sealed = held.Address;
        }
    }

    /// <summary>
    /// Collects the values of the key, if the record counts among them; none if it is all of them and in one piece.
    /// </summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="disk">What has been read for it, or null.</param>
    /// <param name="chain">The address at which the chain begins.</param>
    /// <param name="held">The newest record's seal, if nothing else keeps it from changing; else null.</param>
    private static unsafe Outcome Collect<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk, long chain,
        out PartSeals<TProbe>.Seal? held)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator<TProbe> log = attempt.Log;
        held = null;
        attempt.Partials.Clear();
        TProbe.Point(ProbePoint.RegionMarker);
        if (operation.Above < log.BeginAddress) return Outcome.NotFound;
        long address = chain;
        byte* record = log.Find(key, hash, log.HeadAddress, ref address, out ulong header);
        if (record == null) return CollectFromDisk(attempt, ref operation, disk, address);
        if (TMode.StopsAtNext && attempt.MustShift(address, header)) return Outcome.Shift;
        if ((header & RecordHeader.Delta) == 0)
            return address == operation.Above ? AddOwn(attempt, ref operation, disk) : Outcome.NotFound;

        long newest = address;
        bool isStill = newest < log.SafeReadOnlyAddress || TProbe.Has(SeededBug.CollapseWithoutSeal);
        if (!isStill) held = operation.Seals.Held(newest);
        bool isFinal = isStill || held is not null;
        Outcome end = Reconciler<TProbe, TOperation>.Collect<TKey, TMode>(
            attempt, key, hash, disk, record, header, isFinal, ref address);
        if (end == Outcome.OnDisk) end = CollectFromDisk(attempt, ref operation, disk, address);
        else if (end == Outcome.Ok && address > operation.Above) end = Outcome.NotFound;
        if (end != Outcome.Ok) return end;
        if (isFinal) return Outcome.Ok;

        // All else is there. In the fuzzy region it becomes immutable by itself.
        if (newest >= attempt.MutableFrom && operation.Seals.TrySeal(record, newest)) operation.Sealed = newest;
        return Outcome.Retry;
    }

    /// <summary>Adds what lies on disk, behind the values from memory, down to the record and what it needs.</summary>
    private static Outcome CollectFromDisk(
        Attempt<TProbe> attempt, ref TOperation operation, DiskRecord? disk, long address)
    {
        long above = operation.Above;
        PartialValues partials = attempt.Partials;
        if (address < above && !operation.IsPartial) return Outcome.NotFound; // no chain leads to it
        bool isNext = address == above && !operation.IsPartial;
        if (!isNext && (disk is null || disk.ChainStart != address))
        {
            attempt.Wanted = address;
            if (!operation.IsPartial) attempt.WantedFloor = above + 1;
            return Outcome.OnDisk;
        }

        if (operation.IsPartial)
        {
            if (disk!.End > above) return Outcome.NotFound;
            Outcome life = disk.Found ? attempt.Clock.Judge(disk.Expiry) : Outcome.NotFound;
            if (life == Outcome.Expired) return life;
            if (life == Outcome.Ok && LargeValues.Lacks(attempt, disk)) return Outcome.Large;
            partials.Add(disk, life == Outcome.Ok);
            return Outcome.Ok;
        }

        if (!isNext && disk!.End != 0) return Outcome.NotFound;
        if (!isNext) partials.Add(disk!.Partials);
        return AddOwn(attempt, ref operation, disk);
    }

    /// <summary>Adds the record's own value, which is whole; not where it is all there is, and in one piece.</summary>
    private static Outcome AddOwn(Attempt<TProbe> attempt, ref TOperation operation, DiskRecord? disk)
    {
        PartialValues partials = attempt.Partials;
        ReadOnlySpan<byte> value = operation.Value;
        if (partials.Count == 0 && !operation.IsLarge) return Outcome.Ok;
        Outcome life = attempt.Clock.Judge(operation.Expiry);
        if (life != Outcome.Ok) return life;
        if (operation.IsLarge)
        {
            Outcome gathered = LargeValues.Find(attempt, disk, operation.Above, value, out value);
            if (gathered != Outcome.Ok) return gathered;
        }

        partials.Add(value);
        partials.EndWithWhole(operation.Expiry);
        return Outcome.Ok;
    }

    /// <summary>Takes room for the whole record and writes it.</summary>
    /// <returns>Ok; NoRoom; or Oversized: merged, the parts do not fit a page.</returns>
    private static Outcome Reserve<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ReadOnlySpan<byte> value, long expiry, ref ulong flags)
        where TKey : struct, IKey, allows ref struct
    {
        PartialValues partials = attempt.Partials;
        int valueSize = attempt.Log.Layout.ValueSize;
        if (partials.Deltas != 0) expiry = RecordExpiry.Never;
        if (valueSize == 0) attempt.Discard(); // made for another length, it may be
        ReadOnlySpan<byte> without = partials.MayLoseWhole ? partials.WithoutWhole : default;
        if (partials.MayLoseWhole) expiry = partials.WholeExpiry;
        bool isOtherOversized = LargeValues.IsOversized(attempt, key.SlotSize, without.Length);
        if (valueSize == 0 && (isOtherOversized || LargeValues.IsOversized(attempt, key.SlotSize, value.Length)))
        {
            if (attempt.Large.Prepared is not { } prepared || !prepared.IsMadeFrom(true, value))
            {
                byte[] made = value.ToArray();
                attempt.Large.Drop(); // the chunks of another value: nobody is to wait for them
                attempt.Large.Prepared = prepared = new LargeWrite<TProbe>(made, basis: made) { IsOfCompaction = true };
            }

            prepared.PrepareWithout(isOtherOversized ? without : default);
            if (!prepared.IsDone) return Outcome.Oversized;
            if (isOtherOversized) without = default; // in chunks
            if (value.IsEmpty)
                return attempt.TryReserve(key, 0, 0, LargeHead.Size, expiry) ? Outcome.Ok : Outcome.NoRoom;
            flags |= RecordHeader.Large;
            return LargeValues.TryReserve(attempt, key, prepared.Head, expiry, without.Length)
                ? Outcome.Ok
                : Outcome.NoRoom;
        }

        attempt.Large.Drop();
        int capacity = Math.Max(value.Length, without.Length);
        if (!attempt.TryKeepRoom(expiry) && !attempt.TryReserve(key, valueSize, value.Length, capacity, expiry))
            return Outcome.NoRoom;
        value.CopyTo(attempt.ReservedValue(valueSize));
        return Outcome.Ok;
    }
}
