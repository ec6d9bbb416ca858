using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Expiry;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>Read (paper 000 App. G, Algorithm 2).</summary>
/// <remarks>
/// By the place of the key's newest record: not there; on disk; below the safe-read-only address; above it.
/// A record below the safe-read-only address is immutable and is read without protection. Above it another session may
/// be updating the record: a value of up to eight bytes is read by one atomic load, a longer one under the record's
/// latch, unless the user's functions use atomics of their own. A delta is merged with the key's older records,
/// wherever they lie (§6.3).
/// </remarks>
internal readonly struct ReadAlgorithm<TEntries, TOperation> : IAlgorithm<TOperation>
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, IReadOperation
{
    /// <inheritdoc/>
    public static bool Mutates => false;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHit<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        if (!RecordMatch.Is(record, key, 0, RecordHeader.NotPlain)) return false;
        byte* value = record + RecordHeader.Size + key.SlotSize;

        // A word that no user code reads is loaded in the same way in each region.
        if ((TOperation.RunsUserCode || !RecordValue<TOperation>.IsWord) && address < view->SafeReadOnly)
        {
            operation.SingleRead(RecordValue<TOperation>.At(value));
            return true;
        }

        Probe.Point(ProbePoint.RecordUpdate);
        if (TOperation.LatchesReads) return ReadLatched(attempt, record, value, ref operation) == Outcome.Ok;
        operation.ConcurrentRead(RecordValue<TOperation>.At(value));
        return true;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHitUnlatched<TKey>(
        QuietView* view, RecentTime* time, scoped TKey key, byte* record, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct =>
        ExpiringRead<TOperation>.TryHitUnlatched(time, key, record, ref operation);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHitExpiring<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address, bool judges,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => (RecordHeader.Read(record) & RecordHeader.Expiring) == 0
            ? TryHit(attempt, view, key, record, address, ref operation)
            : ExpiringRead<TOperation>.TryHit(attempt, key, record, address, judges, ref operation);

    /// <inheritdoc/>
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator log = attempt.Log;
        if (TOperation.ValueSize == 0 && !TOperation.Merges && disk?.WithGathered is { } read)
        {
            // The read takes effect at the time at which it found the value's record.
            if (read.Gathered is { } gathered) operation.SingleRead(gathered);
            return Outcome.Ok;
        }

        if (TOperation.Merges && MergedRead<TOperation>.TryEnd(
            attempt, hash, ref operation, disk, out Outcome ended)) return ended;
        Outcome located = attempt.Locate<TEntries>(hash, out EntryRef entry);
        if (located != Outcome.Ok) return located;
        Outcome found = attempt.Entries<TEntries>().Find(ref entry);
        if (found == Outcome.NotFound) return FromBelow(attempt, key, hash, ref operation, disk, 0, 0);
        if (found != Outcome.Ok) return found;
        long address = entry.Address;
        if (address < 0)
        {
            byte* copy = attempt.Cache.Find(key, ref address);
            if (copy != null) return FromCache(attempt, copy, key.SlotSize, ref operation);
        }

        byte* record = log.Find(key, hash, log.HeadAddress, ref address, out ulong header);
        if (record == null)
        {
            attempt.Deltas.Clear();
            Probe.Point(ProbePoint.RegionMarker);
            if (address < log.BeginAddress)
            {
                _ = ChainMaintenance.NotFound<TEntries>(attempt, entry);
                return FromBelow(attempt, key, hash, ref operation, disk, address, address);
            }

            return FromDisk(attempt, key, hash, ref operation, disk, address);
        }

        if (TMode.StopsAtNext && attempt.Version.MustShift(address, header)) return Outcome.CprShift;
        if ((header & RecordHeader.Tombstone) != 0) return Outcome.NotFound;
        bool isImmutable = address < log.SafeReadOnlyAddress;
        if ((header & RecordHeader.Expiring) != 0 || RecordValue<TOperation>.IsLarge(header))
            return FromMemory(attempt, key, hash, ref operation, disk, address, record, isImmutable);

        if ((header & RecordHeader.Delta) != 0)
            return FromDelta<TKey, TMode>(attempt, key, hash, ref operation, disk, address, record, header);
        byte* value = record + RecordHeader.Size + key.SlotSize;
        if (isImmutable)
        {
            operation.SingleRead(RecordValue<TOperation>.At(value));
            return Outcome.Ok;
        }

        Probe.Point(ProbePoint.RecordUpdate);
        if (TOperation.LatchesReads) return ReadLatched(attempt, record, value, ref operation);
        operation.ConcurrentRead(RecordValue<TOperation>.At(value));
        return Outcome.Ok;
    }

    private static unsafe Outcome FromDelta<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
        long address, byte* record, ulong header)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        Outcome merged = MergedRead<TOperation>.FromMemory<TKey, TMode>(
            attempt, key, hash, ref operation, disk, record, header, ref address);
        return merged switch
        {
            Outcome.OnDisk => FromDisk(attempt, key, hash, ref operation, disk, address),
            Outcome.Below => MergedRead<TOperation>.FromBelow(
                attempt, key, hash, ref operation, disk, isCurrent: true),
            _ => merged,
        };
    }

    // A record that expires, or whose value lies in fragments.
    private static unsafe Outcome FromMemory<TKey>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
        long address, byte* record, bool isImmutable)
        where TKey : struct, IKey, allows ref struct
    {
        Outcome found = (RecordHeader.Read(record) & RecordHeader.Expiring) != 0
            ? ExpiringRead<TOperation>.Read(
                attempt, disk, address, record, key.SlotSize, ref operation, isImmutable)
            : LargeValues.Read(
                attempt, disk, address, record + RecordHeader.Size + key.SlotSize, ref operation);
        return found == Outcome.Below
            ? FromBelow(attempt, key, hash, ref operation, disk, address, address)
            : found;
    }

    // The record of the tier below, if there is one: this tier has none from absentFrom on down, or one whose value
    // has moved. Now its chain leaves memory at address. If that is another one, the key may have a record here by now
    // and none below any more: then only what has been found below counts, and otherwise this tier is searched again.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Outcome FromBelow<TKey>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
        long absentFrom, long address)
        where TKey : struct, IKey, allows ref struct
    {
        if (attempt.Below is null) return Outcome.NotFound;
        bool isOld = absentFrom != address && !TOperation.Merges
            && !(Probe.On && Probe.Has(SeededBug.OldAbsenceLeadsBelow));
        if (isOld && disk!.Below is not { Found: true })
        {
            attempt.Wanted = address;
            return Outcome.OnDisk;
        }

        Outcome found = SearchBelow.Find<TKey, TOperation>(
            attempt, key, hash, disk, mayLag: true, out RecordBelow record);
        if (found != Outcome.Ok) return found;
        Outcome life = attempt.Clock.Judge(record.Expiry);
        if (life == Outcome.Ok)
        {
            Outcome whole = LargeValues.FindBelow(attempt, disk, record, out ReadOnlySpan<byte> value);
            if (whole != Outcome.Ok) return whole;
            operation.SingleRead(value);
            // After an old hot walk the key may have a record above, which Begin may pass before the copy is linked.
            bool isOfNow = absentFrom == address || (Probe.On && Probe.Has(SeededBug.OldAbsenceIsCached));
            bool mayCopy = (record.IsCurrent && isOfNow) || (Probe.On && Probe.Has(SeededBug.CopyIgnoresTruncation));
            Probe.Point(ProbePoint.RegionMarker);
            if (mayCopy && record.IsFromDisk && !record.IsLarge)
                attempt.Cache.AddBelow(key, hash, absentFrom, disk!.Below!);
            return life;
        }

        // Alive when it was found; only a search from here shows whether the key has been without a value since.
        if (absentFrom != address)
        {
            attempt.Wanted = address;
            return Outcome.OnDisk;
        }

        if (record.IsCurrent) return life;
        disk!.Below!.Clear();
        return Outcome.Expired;
    }

    // Whether the tier had no value of the key when the walk on disk began, or has none now.
    private static bool IsAbsent(Attempt attempt, ChainReadResult disk, long address)
    {
        if (!TOperation.Merges) return disk.IsAbsent;
        if (disk.Deltas.Count != 0 || !BaseBelow.IsOf(attempt, disk)) return false;
        DeltaValues inMemory = disk.ChainStart == address ? attempt.Deltas : disk.Newer;
        if (inMemory.Count != 0) return false;
        attempt.Deltas.Clear();
        return true;
    }

    private static unsafe Outcome ReadLatched(Attempt attempt, byte* record, byte* value, ref TOperation operation)
    {
        if (!attempt.TryLatch(record, out ulong header)) return Outcome.Retry;
        if ((header & RecordHeader.Tombstone) != 0)
        {
            attempt.Unlatch(record, header);
            return Outcome.NotFound;
        }

        operation.ConcurrentRead(RecordValue<TOperation>.At(value));
        attempt.Unlatch(record, header);
        return Outcome.Ok;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe Outcome FromCache(Attempt attempt, byte* copy, int keySlotSize, ref TOperation operation)
    {
        byte* value = RecordExpiry.Value(copy, RecordHeader.Read(copy), keySlotSize, out long expiry);
        Outcome life = attempt.Clock.Judge(expiry);
        if (life == Outcome.Ok) operation.SingleRead(RecordValue<TOperation>.At(value));
        return life;
    }

    private static Outcome FromDisk<TKey>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
        long address)
        where TKey : struct, IKey, allows ref struct
    {
        if (address < attempt.Log.BeginAddress && attempt.Deltas.Count == 0)
            return FromBelow(attempt, key, hash, ref operation, disk, address, address);
        if (disk is null || disk.ChainStart == 0)
        {
            attempt.Wanted = address;
            return Outcome.OnDisk;
        }

        // The read takes effect at the time at which its walk began: records linked since are later.
        Outcome life = disk.Found ? attempt.Clock.Judge(disk.Expiry) : Outcome.NotFound;
        if (life == Outcome.Expired) return life;
        if (disk.Found && life == Outcome.NotFound && disk.ChainStart != address)
        {
            // Alive when the walk began; only a walk from here shows whether the key has been without a value since.
            attempt.Wanted = address;
            return Outcome.OnDisk;
        }

        if (attempt.Below is not null && IsAbsent(attempt, disk, address))
            return FromBelow(attempt, key, hash, ref operation, disk, disk.ChainStart, address);
        attempt.Cache.OnMiss(disk);
        if (TOperation.Merges)
        {
            return MergedRead<TOperation>.FromDisk(
                attempt, key, hash, ref operation, disk, address, life == Outcome.Ok);
        }

        if (disk.Deltas.Count != 0) throw DeltaValues.NoMerger(disk.Address);
        if (life == Outcome.NotFound) return life;
        if (TOperation.ValueSize == 0 && disk.IsLarge)
        {
            Outcome whole = LargeValues.Find(attempt, disk, disk.Address, disk.Value, out _);
            return whole == Outcome.Below
                ? FromBelow(attempt, key, hash, ref operation, disk, disk.ChainStart, address)
                : whole;
        }

        operation.SingleRead(disk.Value);
        if (disk.ChainStart == address) attempt.Cache.Add(key, hash, disk, disk.Value);
        return Outcome.Ok;
    }
}
