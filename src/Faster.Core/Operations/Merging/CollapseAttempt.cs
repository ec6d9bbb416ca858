using System.Diagnostics.CodeAnalysis;
using Faster.Chains;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Probes;

namespace Faster.Operations.Merging;

/// <summary>
/// An attempt at a collapse: what <see cref="CollapseAlgorithm{TEntries, TOperation}"/> makes of what a search
/// finds.
/// </summary>
/// <remarks>Not thread-safe: it belongs to its session, under the session's epoch.</remarks>
internal ref struct CollapseAttempt<TKey, TMode, TEntries, TOperation>
    where TKey : struct, IKey, allows ref struct
    where TMode : struct, ICommitMode
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, ICollapse
{
    private KeySearch<TKey, TMode, TEntries, TOperation> _search;

    // Algorithm 1 of paper 003: the base must be what the tier below has now.
    private static bool MayLag => Probe.On && Probe.Has(SeededBug.UpdateIgnoresTruncation);

    /// <summary>Makes the attempt.</summary>
    /// <inheritdoc cref="IAlgorithm{TOperation}.TryUnderEpoch"/>
    public Outcome Run(
        Attempt attempt, TKey key, ulong hash, [UnscopedRef] ref TOperation operation, ChainReadResult? disk)
    {
        _search.Prepare(attempt, key, hash, ref operation, disk);
        Outcome outcome = Try();
        if (operation.Sealed == 0 || outcome is Outcome.Retry or Outcome.Oversized) return outcome;
        if (!operation.HeldDeltas.TryLift(operation.Sealed)) return Outcome.Retry;
        operation.Sealed = 0;
        return outcome;
    }

    private Outcome Try()
    {
        Attempt attempt = _search.Attempt;
        ref TOperation operation = ref _search.Operation;
        ref ChainPosition at = ref _search.At;
        if (LargeValues.MustWrite(attempt)) return Outcome.Oversized;
        Outcome located = _search.Locate();
        if (located != Outcome.Ok) return located;
        if (TMode.CopiesOld && !attempt.Bucket.TryEnterExclusive(_search.Hash)) return Outcome.BucketLatched;
        for (;;)
        {
            Outcome found = _search.BeginUpdate();
            if (found != Outcome.Ok) return attempt.GiveUp(found);
            at.Chain = attempt.Cache.Behind(at.Entry.Address);
            Outcome collected = Collect(out HeldDeltas.Seal? held);
            if (collected != Outcome.Ok) return attempt.GiveUp(collected);
            DeltaValues deltas = attempt.Deltas;
            bool isMerged = deltas.Count != 0;
            if (deltas.MayLoseWhole) deltas.MergeWithoutWhole(ref operation);
            ReadOnlySpan<byte> value = isMerged ? deltas.Merge(ref operation) : operation.Value;
            ulong flags = isMerged ? 0 : operation.Flags;
            Outcome reserved = Reserve(value, ref flags);
            if (reserved != Outcome.Ok) return attempt.GiveUp(reserved);

            if (held is not null && !operation.HeldDeltas.TryClaim(held)) return attempt.GiveUp(Outcome.Retry);
            Outcome linked = deltas.MayLoseWhole
                ? MergedLink.Link<TEntries>(attempt, at, flags, out _)
                : attempt.LinkReserved<TEntries>(at, flags);
            if (linked == Outcome.Ok)
            {
                operation.Length = value.Length;
                if (isMerged) attempt.Merges.OnCollapsed(_search.Hash, deltas.Deltas);
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
    /// <param name="held">
    /// The newest record's seal, if only the seal keeps the record from changing; otherwise null.
    /// </param>
    private unsafe Outcome Collect(out HeldDeltas.Seal? held)
    {
        Attempt attempt = _search.Attempt;
        ref TOperation operation = ref _search.Operation;
        held = null;
        attempt.Deltas.Clear();
        Probe.Point(ProbePoint.RegionMarker);
        if (operation.Above < attempt.Log.BeginAddress) return Outcome.NotFound;
        Outcome end = _search.FindInLog(_search.At.Chain);
        if (end is (Outcome.OnDisk or Outcome.Below)) return CollectFromDisk();
        if (end != Outcome.Ok) return end;
        byte* record = _search.Record;
        long newest = _search.Address;
        if ((_search.Header & RecordHeader.Delta) == 0) return newest == operation.Above ? AddOwn() : Outcome.NotFound;

        bool isStill = newest < attempt.Log.SafeReadOnlyAddress
            || (Probe.On && Probe.Has(SeededBug.CollapseWithoutSeal));
        if (!isStill) held = operation.HeldDeltas.Held(newest);
        bool isFinal = isStill || held is not null;
        end = _search.CollectInMemory(isFinal);
        if (end == Outcome.OnDisk) end = CollectFromDisk();
        else if (end is (Outcome.Ok or Outcome.Below) && _search.Address > operation.Above) end = Outcome.NotFound;
        else if (end == Outcome.Below) end = _search.AddBase(MayLag);
        if (end != Outcome.Ok) return end;
        if (isFinal) return Outcome.Ok;

        // All other values are there. A record in the fuzzy region becomes immutable without a seal.
        if (newest >= attempt.MutableFrom && operation.HeldDeltas.TrySeal(record, newest)) operation.Sealed = newest;
        return Outcome.Retry;
    }

    /// <summary>Adds what lies on disk, behind the values in memory, down to the record and what it needs.</summary>
    private Outcome CollectFromDisk()
    {
        Attempt attempt = _search.Attempt;
        ChainReadResult? disk = _search.Disk;
        long address = _search.Address, above = _search.Operation.Above;
        bool isDelta = _search.Operation.IsDelta;
        DeltaValues deltas = attempt.Deltas;
        if (address < above && !isDelta) return Outcome.NotFound; // no chain leads to it
        bool isNext = address == above && !isDelta;
        if (!isNext && (disk is null || disk.ChainStart != address))
        {
            _ = _search.LackDisk();
            if (!isDelta) attempt.WantedFloor = above + 1;
            return Outcome.OnDisk;
        }

        if (isDelta) return disk!.End > above ? Outcome.NotFound : _search.CollectOnDisk(MayLag);
        if (!isNext && disk!.End != 0) return Outcome.NotFound;
        if (!isNext) deltas.Add(disk!.Deltas);
        return AddOwn();
    }

    /// <summary>Adds the record's own whole value, unless it is the only one and not in fragments.</summary>
    private readonly Outcome AddOwn()
    {
        Attempt attempt = _search.Attempt;
        ref TOperation operation = ref _search.Operation;
        DeltaValues deltas = attempt.Deltas;
        ReadOnlySpan<byte> value = operation.Value;
        if (deltas.Count == 0 && !operation.IsLarge) return Outcome.Ok;
        Outcome life = attempt.Clock.Judge(operation.Expiry);
        if (life != Outcome.Ok) return life;
        if (operation.IsLarge)
        {
            Outcome gathered = LargeValues.Find(attempt, _search.Disk, operation.Above, value, out value);
            if (gathered != Outcome.Ok) return gathered;
        }

        deltas.Add(value);
        deltas.EndWithWhole(operation.Expiry);
        return Outcome.Ok;
    }

    /// <summary>Reserves space for the whole record and writes it.</summary>
    /// <returns>Ok; AllocationFailed; or Oversized: the merged value does not fit a page.</returns>
    private readonly Outcome Reserve(scoped ReadOnlySpan<byte> value, ref ulong flags)
    {
        Attempt attempt = _search.Attempt;
        int keySlot = _search.Key.SlotSize;
        long expiry = _search.Operation.Expiry;
        DeltaValues deltas = attempt.Deltas;
        int valueSize = attempt.Log.Layout.ValueSize;
        if (deltas.Deltas != 0) expiry = RecordExpiry.Never;
        if (valueSize == 0) attempt.Reservation.GiveBack(); // it may have been made for another length
        ReadOnlySpan<byte> without = deltas.MayLoseWhole ? deltas.WithoutWhole : default;
        if (deltas.MayLoseWhole) expiry = deltas.WholeExpiry;
        bool isOtherOversized = LargeValues.IsOversized(attempt, keySlot, without.Length);
        if (valueSize == 0 && (isOtherOversized || LargeValues.IsOversized(attempt, keySlot, value.Length)))
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
                ? attempt.Reservation.TryTake(_search.Key, 0, 0, LargeHead.Size, expiry)
                : LargeValues.TryReserve(attempt, _search.Key, prepared.Head, expiry, without.Length);
            return isReserved ? Outcome.Ok : Outcome.AllocationFailed;
        }

        attempt.Large.Drop();
        int capacity = Math.Max(value.Length, without.Length);
        if (!attempt.Reservation.TryReuse(expiry)
            && !attempt.Reservation.TryTake(_search.Key, valueSize, value.Length, capacity, expiry))
            return Outcome.AllocationFailed;
        value.CopyTo(attempt.Reservation.Value(valueSize));
        return Outcome.Ok;
    }
}
