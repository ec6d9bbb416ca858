using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>
/// An attempt at a read that is no hit: what <see cref="ReadAlgorithm{TEntries, TOperation}"/> makes of what a search
/// finds.
/// </summary>
/// <remarks>Not thread-safe: it belongs to its session, under the session's epoch.</remarks>
internal unsafe ref partial struct ReadAttempt<TKey, TMode, TEntries, TOperation>
    where TKey : struct, IKey, allows ref struct
    where TMode : struct, ICommitMode
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, IReadOperation
{
    private KeySearch<TKey, TMode, TEntries, TOperation> _search;

    /// <summary>Makes the attempt.</summary>
    /// <inheritdoc cref="IAlgorithm{TOperation}.TryUnderEpoch"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome Run(
        Attempt attempt, TKey key, ulong hash, [UnscopedRef] ref TOperation operation, ChainReadResult? disk)
    {
        _search.Prepare(attempt, key, hash, ref operation, disk);
        if (TOperation.ValueSize == 0 && !TOperation.Merges && _search.Disk?.WithGathered is { } read)
        {
            // The read takes effect at the time at which it found the value's record.
            if (read.Gathered is { } gathered) _search.Operation.SingleRead(gathered);
            return Outcome.Ok;
        }

        if (TOperation.Merges && TryEnd(out Outcome ended)) return ended;
        Outcome found = _search.Locate();
        if (found != Outcome.Ok) return found;
        found = _search.Begin();
        if (found == Outcome.Ok) found = _search.FindInMemory();
        else if (found == Outcome.NotFound) return FromBelow();
        if (found == Outcome.Ok) return _search.Found.IsCached ? FromCache() : FromMemory();
        if (found is not (Outcome.OnDisk or Outcome.Below)) return found;
        _search.Attempt.Deltas.Clear();
        if (found == Outcome.OnDisk) return FromDisk();
        _ = ChainMaintenance.NotFound<TEntries>(_search.Attempt, _search.At.Entry);
        return FromBelow();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private readonly Outcome FromCache()
    {
        Outcome life = _search.Attempt.Clock.Judge(_search.Found.Expiry);
        if (life == Outcome.Ok) _search.Operation.SingleRead(_search.Found.Value);
        return life;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Outcome FromMemory()
    {
        Attempt attempt = _search.Attempt;
        byte* record = _search.Record;
        ulong header = _search.Header;
        if ((header & RecordHeader.Tombstone) != 0) return Outcome.NotFound;
        bool isImmutable = _search.Address < attempt.Log.SafeReadOnlyAddress;
        if ((header & RecordHeader.Expiring) != 0 || RecordValue<TOperation>.IsLarge(header))
            return FromOther(record, isImmutable);
        if ((header & RecordHeader.Delta) != 0) return FromDeltas();
        byte* value = record + RecordHeader.Size + _search.Key.SlotSize;
        if (isImmutable)
        {
            _search.Operation.SingleRead(RecordValue<TOperation>.At(value));
            return Outcome.Ok;
        }

        Probe.Point(ProbePoint.RecordUpdate);
        if (TOperation.LatchesReads)
            return ReadAlgorithm<TEntries, TOperation>.ReadLatched(attempt, record, value, ref _search.Operation);
        _search.Operation.ConcurrentRead(RecordValue<TOperation>.At(value));
        return Outcome.Ok;
    }

    // A record that expires, or whose value lies in fragments.
    private Outcome FromOther(byte* record, bool isImmutable)
    {
        int keySlot = _search.Key.SlotSize;
        Outcome found = (RecordHeader.Read(record) & RecordHeader.Expiring) != 0
            ? ExpiringRead<TOperation>.Read(
                _search.Attempt, _search.Disk, _search.Address, record, keySlot, ref _search.Operation, isImmutable)
            : LargeValues.Read(
                _search.Attempt, _search.Disk, _search.Address, record + RecordHeader.Size + keySlot,
                ref _search.Operation);
        return found == Outcome.Below ? FromBelow() : found;
    }

    // The read takes effect at the time at which its walk began: records linked since are later.
    private Outcome FromDisk()
    {
        Attempt attempt = _search.Attempt;
        Outcome found = _search.FindOnDisk(mayLag: true);
        if (found == Outcome.OnDisk) return found;
        Outcome life = found == Outcome.Ok ? attempt.Clock.Judge(_search.Found.Expiry) : Outcome.NotFound;
        if (life == Outcome.Expired) return life;

        // Alive when the walk began; only a walk from here shows whether the key has been without a value since.
        if (found == Outcome.Ok && life == Outcome.NotFound && _search.IsOld) return _search.LackDisk();
        if (TOperation.Merges ? IsAbsent() : found == Outcome.Below) return FromBelow();
        if (TOperation.Merges) return MergedFromDisk(isAlive: life == Outcome.Ok);
        ChainReadResult disk = _search.Disk!;
        if (disk.Deltas.Count != 0) throw DeltaValues.NoMerger(disk.Address);
        if (life == Outcome.NotFound) return life;
        Outcome whole = _search.FindWhole();
        if (whole != Outcome.Ok) return whole == Outcome.Below ? FromBelow() : whole;
        _search.Operation.SingleRead(_search.Found.Value);
        if (!_search.IsOld) attempt.Cache.Add(_search.Key, _search.Hash, disk, disk.Value);
        return Outcome.Ok;
    }

    // Whether this tier had no value of the key when the walk on disk began, or has none now.
    private readonly bool IsAbsent()
    {
        Attempt attempt = _search.Attempt;
        ChainReadResult disk = _search.Disk!;
        if (disk.Deltas.Count != 0 || !_search.IsBaseBelow()) return false;
        DeltaValues inMemory = _search.IsOld ? disk.Newer : attempt.Deltas;
        if (inMemory.Count != 0) return false;
        attempt.Deltas.Clear();
        return true;
    }

    // The record of the tier below, if there is one: this tier has none, or one whose value has moved. If that was
    // found by an old walk, the key may have a record here by now and none below any more: then only what has been
    // found below counts, and otherwise this tier is searched again.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Outcome FromBelow()
    {
        Attempt attempt = _search.Attempt;
        if (attempt.Below is null) return Outcome.NotFound;
        bool mustFind = _search.IsOld && !TOperation.Merges
            && !(Probe.On && Probe.Has(SeededBug.OldAbsenceLeadsBelow));
        if (mustFind && _search.Disk!.Below is not { Found: true }) return _search.LackDisk();
        Outcome found = _search.FindBelow(mayLag: true);
        if (found != Outcome.Ok) return found;
        Outcome life = attempt.Clock.Judge(_search.Found.Expiry);
        if (life == Outcome.Ok)
        {
            bool mayCopy = MayCache();
            Outcome whole = _search.FindWhole();
            if (whole != Outcome.Ok) return whole;
            _search.Operation.SingleRead(_search.Found.Value);
            Probe.Point(ProbePoint.RegionMarker);
            if (mayCopy) AddBelow();
            return life;
        }

        // Alive when it was found; only a search from here shows whether the key has been without a value since.
        if (_search.IsOld) return _search.LackDisk();
        if (_search.Found.IsCurrent) return life;
        _search.Disk!.Below!.Clear();
        return Outcome.Expired;
    }

    // After an old walk the key may have a record above, which Begin may pass before the copy is linked.
    private readonly bool MayCache()
    {
        if (!_search.Found.IsFromDisk || _search.Found.IsLarge) return false;
        bool isOfNow = !_search.IsOld || (Probe.On && Probe.Has(SeededBug.OldAbsenceIsCached));
        return (_search.Found.IsCurrent && isOfNow) || (Probe.On && Probe.Has(SeededBug.CopyIgnoresTruncation));
    }

    private readonly void AddBelow()
    {
        ChainReadResult disk = _search.Disk!;
        long absentFrom = _search.IsOld ? disk.ChainStart : _search.Address;
        _search.Attempt.Cache.AddBelow(_search.Key, _search.Hash, absentFrom, disk.Below!);
    }
}
