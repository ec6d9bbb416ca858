using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Faster.Chains;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>
/// An attempt at a read-modify-write that is no hit: what <see cref="RmwAlgorithm{TEntries, TOperation}"/> makes of
/// what a search finds.
/// </summary>
/// <remarks>Not thread-safe: it belongs to its session, under the session's epoch.</remarks>
internal unsafe ref partial struct RmwAttempt<TKey, TMode, TEntries, TOperation>
    where TKey : struct, IKey, allows ref struct
    where TMode : struct, ICommitMode
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, IRmwOperation
{
    private KeySearch<TKey, TMode, TEntries, TOperation> _search;
    private UpdateDetails _result;

    private static bool MayLag => Probe.On && Probe.Has(SeededBug.UpdateIgnoresTruncation);

    /// <summary>Makes the attempt.</summary>
    /// <inheritdoc cref="IAlgorithm{TOperation}.TryUnderEpoch"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome Run(
        Attempt attempt, TKey key, ulong hash, [UnscopedRef] ref TOperation operation, ChainReadResult? disk)
    {
        _search.Prepare(attempt, key, hash, ref operation, disk);
        if (TOperation.ValueSize == 0 && LargeValues.MustWrite(attempt)) return Outcome.Oversized;
        Outcome located = _search.Locate();
        if (located != Outcome.Ok) return located;
        ref ChainPosition at = ref _search.At;
        bool mayCopy = !TMode.CopiesOld || attempt.Bucket.IsFree;
        for (;;)
        {
            Outcome found = _search.FindMutable();
            if (found > Outcome.NotFound) return attempt.GiveUp(found);
            Outcome updated = found == Outcome.Ok
                ? RmwAlgorithm<TEntries, TOperation>.UpdateFound(attempt, ref _search.Operation, at)
                : Outcome.NotFound;
            if (updated == Outcome.Ok) return updated;
            if (updated != Outcome.NotFound) return attempt.GiveUp(updated);
            if (found == Outcome.Ok && !at.IsTombstone && IsUpdatedElsewhere())
            {
                _ = attempt.GiveUp(Outcome.Fuzzy);
                attempt.Clock.EndUnlatched(attempt.Tier.Core.Epochs);
                return Outcome.Fuzzy;
            }

            if (!mayCopy && !(Probe.On && Probe.Has(SeededBug.CachedWithoutBucket) && at.IsCached))
            {
                mayCopy = attempt.TryTakeBucket(_search.Hash);
                if (mayCopy) continue;
                return Outcome.BucketLatched;
            }

            Outcome made = Make(found);
            if (made > Outcome.Created) return attempt.GiveUp(made);
            _result.Expiry = attempt.Clock.Renewed(_result.Expiry);
            if (found == Outcome.Ok && !attempt.IsJournaled
                && RmwAlgorithm<TEntries, TOperation>.MayPut(attempt, at, _result.Expiry)
                && UpdatedRecord<TOperation>.TryRevive(attempt, at, _result.Expiry))
                return made;
            Outcome linked = Link();
            if (linked == Outcome.Retry) continue;
            return linked == Outcome.Ok ? made : linked;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Outcome Link()
    {
        Attempt attempt = _search.Attempt;
        if (!UpdatedRecord<TOperation>.TryReserve(attempt, _search.Key, _search.At, ref _result))
            return attempt.GiveUp(Outcome.AllocationFailed);
        Outcome linked = UpdatedRecord<TOperation>.Link<TEntries>(attempt, _search.At, _search.Hash, _result);
        if (linked is not (Outcome.Ok or Outcome.Retry or Outcome.Expired)) return attempt.GiveUp(linked);
        if (linked == Outcome.Ok && (_result.Flags & RecordHeader.Delta) == 0)
            _ = ChainMaintenance.Linked(attempt.Log, _search.Key, _search.Hash, _search.At);
        return linked;
    }

    // Whether the live, latched record can't be given its new expiry, and other sessions may be updating it without its
    // latch: what they add would be lost if a copy replaced it.
    private readonly bool IsUpdatedElsewhere()
    {
        Attempt attempt = _search.Attempt;
        if (TOperation.LatchesUpdates || attempt.Clock.HasNoUnlatched) return false;
        long expiry = attempt.Clock.Renewed(_search.At.Expiry);
        return !_search.At.CanExpire(expiry)
            || !RmwAlgorithm<TEntries, TOperation>.MayPut(attempt, _search.At, expiry);
    }

    /// <summary>Makes the new value from the latched record, or from what is older.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Outcome Make(Outcome found)
    {
        Attempt attempt = _search.Attempt;
        attempt.Buffer.Clear();
        if (TOperation.Merges) attempt.Deltas.Clear();
        _result = new UpdateDetails();
        Outcome made = found == Outcome.Ok ? MakeFromLatched() : MakeFromOlder();
        bool lacks = made <= Outcome.Created && TOperation.ValueSize == 0 && LargeValues.LacksFragments(attempt);
        return lacks ? Outcome.Oversized : made;
    }

    /// <summary>Makes the new value from the latched record, which is dead or too small.</summary>
    private Outcome MakeFromLatched()
    {
        ref ChainPosition at = ref _search.At;
        if (TOperation.Merges && at.IsDelta)
        {
            _search.Record = at.Record;
            (_search.Header, _search.Address) = (at.Header, at.Address);
            return MakeFromDelta();
        }

        _result.Expiry = at.KeptExpiry;
        if (!at.IsTombstone) _search.TakeLatched();
        return MakeFromFound(at.IsTombstone ? Outcome.NotFound : Outcome.Ok);
    }

    /// <summary>Makes the new value from a copy, or from the key's immutable record, wherever that is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Outcome MakeFromOlder()
    {
        long safe = _search.Attempt.Log.SafeReadOnlyAddress; // before the record's header is read
        Outcome found = _search.FindInMemory();
        if (found == Outcome.Ok) return _search.Found.IsCached ? MakeFromLiving(found) : MakeFromRecord(safe);
        if (found == Outcome.OnDisk) return MakeFromDisk();
        return found == Outcome.Below ? MakeFromBelow() : found;
    }

    /// <summary>Makes the new value from a record in memory, if that is immutable.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Outcome MakeFromRecord(long safe)
    {
        Attempt attempt = _search.Attempt;
        RecordAllocator log = attempt.Log;
        ulong header = _search.Header;
        bool isTombstone = (header & RecordHeader.Tombstone) != 0, isSealed = (header & RecordHeader.Sealed) != 0;
        bool isOld = TMode.CopiesOld && attempt.Version.MustCopy(_search.Address, header);
        bool isFinal = _search.Address < safe || (isTombstone && isSealed) || isOld;
        if (!isFinal && !(Probe.On && Probe.Has(SeededBug.CopyInFuzzyRegion)))
        {
            // Where chains are spliced, the record has been linked since FindMutable searched. A sealed one is
            // about to be collapsed: readers would take it for immutable if another record were already in front of
            // it.
            bool mayBegin = TOperation.Merges && !log.Splices && !isSealed;
            return mayBegin ? BeginDelta() : Outcome.Fuzzy;
        }

        if (RecordExpiry.IsUnconfirmed(header)) return Outcome.Retry;
        if ((header & RecordHeader.Delta) != 0)
        {
            if (!TOperation.Merges) throw DeltaValues.NoMerger(_search.Address);
            return isOld && _search.Address >= safe && !TryHoldDelta() ? Outcome.Retry : MakeFromDelta();
        }

        Probe.Point(ProbePoint.RecordUpdate);
        _search.TakeRecord();
        return MakeFromLiving(isTombstone ? Outcome.NotFound : Outcome.Ok);
    }

    /// <summary>Makes the new value from the part of the chain that is on disk, if it has been read.</summary>
    private Outcome MakeFromDisk()
    {
        Attempt attempt = _search.Attempt;
        Outcome found = _search.FindOnDisk(mayLag: false);
        if (found == Outcome.Below) return MakeFromBelow();
        if (found == Outcome.OnDisk)
        {
            bool begins = TOperation.Merges
                && (_search.Disk is not null || !attempt.Merges.MustCollapse(_search.Hash));
            return begins ? BeginDelta() : found;
        }

        ChainReadResult disk = _search.Disk!;
        if (disk.Deltas.Count != 0 && !TOperation.Merges) throw DeltaValues.NoMerger(disk.Address);
        if (disk.Deltas.Count != 0) return Collapse(_search.CollectOnDisk(MayLag));

        // A record that has been truncated since the walk was dead, or has moved to the tier below: there it is what
        // the key's record was, since the chain has not changed.
        bool moves = attempt.Below is not null && !(Probe.On && Probe.Has(SeededBug.MovedSinceReadIsAbsent));
        bool exists = disk.Address >= attempt.Log.BeginAddress || moves;
        return MakeFromLiving(exists ? found : Outcome.NotFound);
    }

    /// <summary>
    /// Makes the new value from the record of the tier below, if there is one (paper 003, Algorithm 1). It is linked by
    /// a swap from the word of the entry that showed that this tier has no record of the key. Where values are merged,
    /// a delta is made instead if the record is not in memory.
    /// </summary>
    private Outcome MakeFromBelow()
    {
        Outcome found = _search.FindBelow(MayLag);
        bool begins = TOperation.Merges && found is (Outcome.OnDisk or Outcome.EntryOnDisk);
        return begins ? BeginDelta() : MakeFromLiving(found);
    }

    /// <summary>Makes the new value from one that was found, if it is alive, otherwise from none.</summary>
    private Outcome MakeFromLiving(Outcome found)
    {
        if (found > Outcome.NotFound) return found;
        Outcome life = found == Outcome.Ok ? _result.Begin(_search.Attempt.Clock, _search.Found.Expiry) : found;
        return life == Outcome.Expired ? life : MakeFromFound(life);
    }

    /// <summary>Makes the new value from one that was found and is alive, otherwise from none.</summary>
    private Outcome MakeFromFound(Outcome life)
    {
        byte[]? gathered = null;
        if (TOperation.ValueSize == 0 && life == Outcome.Ok && _search.Found.IsLarge)
        {
            bool isBelow = _search.Found.IsBelow;
            life = _search.FindWhole();
            if (life == Outcome.Large && !(TOperation.Merges && isBelow)) return life;
            if (life != Outcome.Ok) _result.Forget();
            if (life == Outcome.Large) return BeginDelta();
            if (life == Outcome.Below) return MakeFromBelow();
            gathered = (isBelow ? _search.Disk?.Below : _search.Disk)?.Gathered;
        }

        return Update(life == Outcome.Ok, _search.Found.Value, gathered);
    }

    /// <summary>
    /// Runs the copy updater, or the initial one without an old value, unless the attempt has brought the value that
    /// was made from the same old value. The new value is in the attempt's buffer, unless it does not fit a page.
    /// </summary>
    /// <param name="exists">Whether there is an old value.</param>
    /// <param name="old">The old value.</param>
    /// <param name="gathered">The array that holds the old value, if it was gathered.</param>
    /// <returns><see cref="Outcome.Ok"/>, or <see cref="Outcome.Created"/> without an old value.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly Outcome Update(bool exists, scoped ReadOnlySpan<byte> old, byte[]? gathered = null)
    {
        Attempt attempt = _search.Attempt;
        ValueBuffer buffer = attempt.Buffer;
        Outcome made = exists ? Outcome.Ok : Outcome.Created;
        if (TOperation.ValueSize == 0 && attempt.Large.Prepared is { } prepared)
        {
            if (prepared.IsMadeFrom(exists, old)) return made;
            attempt.Large.Drop();
        }

        if (exists) _search.Operation.CopyUpdate(old, buffer);
        else _search.Operation.InitialUpdate(buffer);
        if (TOperation.ValueSize != 0) return made;
        if (!LargeValues.IsOversized(attempt, _search.Key.SlotSize, buffer.Written.Length)) return made;
        byte[]? basis = exists ? gathered ?? old.ToArray() : null;
        attempt.Large.Prepared = new LargeWrite(buffer.Detach(), basis);
        return made;
    }
}
