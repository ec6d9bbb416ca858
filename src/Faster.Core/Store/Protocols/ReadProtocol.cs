using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>Read (paper 000 App. G, Algorithm 2).</summary>
/// <remarks>
/// A record below the safe-read-only address is immutable and read as it is. Above it somebody may be updating: a value
/// of up to eight bytes is read by one atomic load, a longer one under the record's latch, unless the user's functions
/// bring their own atomics. A partial value is merged with the key's older ones, wherever they lie (§6.3).
/// </remarks>
internal readonly struct ReadProtocol<TProbe, TOperation> : IProtocol<TProbe, TOperation>
    where TProbe : struct, IProbe
    where TOperation : struct, IReadOperation
{
    /// <inheritdoc/>
    public static bool Mutates => false;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHit<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong word, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        RecordAllocator<TProbe> log = attempt.Log;
        long address = HashIndex<TProbe>.AddressOf(word);
        if (address < log.HeadAddress) return false;
        byte* record = log.Pointer(address);
        if (!RecordHeader.IsPlain(record)) return false; // first: only the header says that a key stands behind it
        if (!key.Matches(record + RecordHeader.Size)) return false;
        byte* value = record + RecordHeader.Size + key.SlotSize;
        if (address < log.SafeReadOnlyAddress)
        {
            operation.SingleRead(Value(value));
            return true;
        }

        TProbe.Point(ProbePoint.RecordUpdate);
        if (TOperation.LatchesReads) return ReadLatched(attempt, record, value, ref operation) == Outcome.Ok;
        operation.ConcurrentRead(Value(value));
        return true;
    }

    /// <inheritdoc/>
    public static unsafe bool TryHitExpiring<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong word, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        const ulong Others = RecordHeader.Tombstone | RecordHeader.Delta | RecordHeader.Merge | RecordHeader.Large;
        RecordAllocator<TProbe> log = attempt.Log;
        long address = HashIndex<TProbe>.AddressOf(word);
        if (address < log.HeadAddress) return false;
        byte* record = log.Pointer(address);
        if ((RecordHeader.Read(record) & (RecordHeader.Expiring | Others)) != RecordHeader.Expiring) return false;
        if (!key.Matches(record + RecordHeader.Size)) return false;
        bool isImmutable = address < log.SafeReadOnlyAddress;
        if (!isImmutable && IsWord)
            return ReadAlive(attempt, record, key.SlotSize, ref operation) == Outcome.Ok;
        return ReadExpiring(attempt, null, address, record, key.SlotSize, ref operation, isImmutable) == Outcome.Ok;
    }

    /// <inheritdoc/>
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator<TProbe> log = attempt.Log;
        if (TOperation.ValueSize == 0 && !TOperation.Merges && disk is { GatheredFrom: not 0 })
        {
            // The read takes effect at the time when it found the value's record.
            if (disk.Gathered is { } gathered) operation.SingleRead(gathered);
            return Outcome.Ok;
        }

        if (!attempt.TryLocate(hash, out HashBucket* bucket)) return Outcome.Growing;
        ulong* slot = HashIndex<TProbe>.Find(bucket, HashBits.TagOf(hash), out ulong word);
        if (slot == null) return Outcome.NotFound;
        long address = HashIndex<TProbe>.AddressOf(word);
        if (address < 0)
        {
            byte* copy = attempt.Cache.Find(key, ref address);
            if (copy != null) return FromCache(attempt, copy, key.SlotSize, ref operation);
        }

        byte* record = log.Find(key, hash, log.HeadAddress, ref address, out ulong header);
        if (record == null)
        {
            attempt.Partials.Clear();
            TProbe.Point(ProbePoint.RegionMarker);
            if (address < log.BeginAddress) return ChainUpkeep<TProbe>.NotFound(attempt, bucket, slot, word);
            return OnDisk(attempt, key, hash, ref operation, disk, address);
        }

        if (TMode.StopsAtNext && attempt.MustShift(address, header)) return Outcome.Shift;
        if ((header & RecordHeader.Tombstone) != 0) return Outcome.NotFound;
        bool isImmutable = address < log.SafeReadOnlyAddress;
        if ((header & RecordHeader.Expiring) != 0)
            return ReadExpiring(attempt, disk, address, record, key.SlotSize, ref operation, isImmutable);
        if ((header & RecordHeader.Delta) != 0)
            return ReadParts<TKey, TMode>(attempt, key, hash, ref operation, disk, record, header, address);
        byte* value = record + RecordHeader.Size + key.SlotSize;
        if (TOperation.ValueSize == 0 && (header & RecordHeader.Large) != 0)
            return ReadLarge(attempt, disk, address, value, ref operation);
        if (isImmutable)
        {
            operation.SingleRead(Value(value));
            return Outcome.Ok;
        }

        TProbe.Point(ProbePoint.RecordUpdate);
        if (TOperation.LatchesReads) return ReadLatched(attempt, record, value, ref operation);
        operation.ConcurrentRead(Value(value));
        return Outcome.Ok;
    }

    private static bool IsWord => !TOperation.LatchesReads && TOperation.ValueSize is 1 or 2 or 4 or 8;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe ReadOnlySpan<byte> Value(byte* slot) => TOperation.ValueSize != 0
        ? new ReadOnlySpan<byte>(slot, TOperation.ValueSize)
        : new ReadOnlySpan<byte>(slot + VariableLength.ValuePrefix, *(int*)slot);

    private static unsafe Outcome ReadLatched(
        Attempt<TProbe> attempt, byte* record, byte* value, ref TOperation operation)
    {
        if (!attempt.TryLatch(record, out ulong header)) return Outcome.Retry;
        if ((header & RecordHeader.Tombstone) != 0)
        {
            attempt.Unlatch(record, header);
            return Outcome.NotFound;
        }

        operation.ConcurrentRead(Value(value));
        attempt.Unlatch(record, header);
        return Outcome.Ok;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe Outcome FromCache(
        Attempt<TProbe> attempt, byte* copy, int keySlotSize, ref TOperation operation)
    {
        byte* value = RecordExpiry.Value(copy, RecordHeader.Read(copy), keySlotSize, out long expiry);
        Outcome life = attempt.Clock.Judge(expiry);
        if (life == Outcome.Ok) operation.SingleRead(Value(value));
        return life;
    }

    private static unsafe Outcome ReadLarge(
        Attempt<TProbe> attempt, DiskRecord? disk, long address, byte* value, ref TOperation operation)
    {
        Outcome gathered = LargeValues.Find(
            attempt, disk, address, LargeValues.HeadAt(value), out ReadOnlySpan<byte> whole);
        if (gathered == Outcome.Ok) operation.SingleRead(whole);
        return gathered;
    }

    // Where the record may still be updated, it is dead under its latch alone.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe Outcome ReadExpiring(
        Attempt<TProbe> attempt, DiskRecord? disk, long address, byte* record, int keySlotSize,
        ref TOperation operation, bool isImmutable)
    {
        ulong header = RecordHeader.Read(record);
        if (isImmutable && RecordExpiry.IsUnconfirmed(header)) return Outcome.Retry;
        if (!isImmutable && IsWord)
        {
            Outcome alive = ReadAlive(attempt, record, keySlotSize, ref operation);
            if (alive != Outcome.NotFound) return alive;
        }

        bool latches = !isImmutable && !TProbe.Has(SeededBug.ReadExpiringWithoutLatch);
        if (latches && !attempt.TryLatch(record, out header)) return Outcome.Retry;
        byte* value = RecordExpiry.Value(record, header, keySlotSize, out long expiry);
        if (!isImmutable) TProbe.Point(ProbePoint.RecordUpdate);
        Outcome found = (header & RecordHeader.Tombstone) != 0 ? Outcome.NotFound : attempt.Clock.Judge(expiry);
        if (found == Outcome.Ok)
        {
            if (TOperation.ValueSize == 0 && (header & RecordHeader.Large) != 0)
                found = ReadLarge(attempt, disk, address, value, ref operation);
            else if (isImmutable) operation.SingleRead(Value(value));
            else operation.ConcurrentRead(Value(value));
        }

        if (latches) attempt.Unlatch(record, header);
        return found;
    }

    /// <summary>
    /// Reads a word that may still be updated, if it is alive. The order of the four loads is the proof
    /// (docs/EXPIRY.md): a header without latch, the expiry, the value, the time.
    /// </summary>
    /// <returns><see cref="Outcome.NotFound"/>: only the record's latch can tell.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe Outcome ReadAlive(
        Attempt<TProbe> attempt, byte* record, int keySlotSize, ref TOperation operation)
    {
        ulong header = RecordHeader.Read(record);
        byte* slot = record + RecordHeader.Size + keySlotSize;
        ulong ends = TProbe.Has(SeededBug.ReadExpiringWhileLatched)
            ? RecordHeader.Tombstone
            : RecordHeader.Tombstone | RecordHeader.Latch;
        if ((header & ends) != 0) return Outcome.NotFound;
        ulong* value = (ulong*)(slot + RecordExpiry.Size);
        ulong early = TProbe.Has(SeededBug.ReadValueBeforeExpiry) ? Volatile.Read(ref *value) : 0;
        TProbe.Point(ProbePoint.RecordUpdate);
        long expiry = Volatile.Read(ref *(long*)slot);
        TProbe.Point(ProbePoint.RecordUpdate);
        ulong word = Volatile.Read(ref *value); // its slot is of 8 bytes, whatever the value's size
        if (TProbe.Has(SeededBug.ReadValueBeforeExpiry)) word = early;
        Outcome life = attempt.Clock.Judge(expiry);
        if (life == Outcome.Ok) operation.ConcurrentRead(new ReadOnlySpan<byte>(&word, TOperation.ValueSize));
        return life;
    }

    private static Outcome OnDisk<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk, long address)
        where TKey : struct, IKey, allows ref struct
    {
        if (address < attempt.Log.BeginAddress && attempt.Partials.Count == 0) return Outcome.NotFound;
        if (disk is null || disk.ChainStart == 0)
        {
            attempt.Wanted = address;
            return Outcome.OnDisk;
        }

        // The read takes effect at the time when its walk began: what was linked since came later.
        Outcome life = disk.Found ? attempt.Clock.Judge(disk.Expiry) : Outcome.NotFound;
        if (life == Outcome.Expired) return life;
        if (disk.Found && life == Outcome.NotFound && disk.ChainStart != address)
        {
            // Alive when the walk began: whether the key was ever without a value since, only a walk from here tells.
            attempt.Wanted = address;
            return Outcome.OnDisk;
        }

        attempt.Cache.OnMiss(disk);
        if (TOperation.Merges) return Reconcile(attempt, key, hash, ref operation, disk, address, life == Outcome.Ok);
        if (disk.Partials.Count != 0) throw PartialValues.NoMerger(disk.Address);
        if (life == Outcome.NotFound) return life;
        if (TOperation.ValueSize == 0 && disk.IsLarge)
            return LargeValues.Find(attempt, disk, disk.Address, disk.Value, out _);
        operation.SingleRead(disk.Value);
        if (disk.ChainStart == address) attempt.Cache.Add(key, hash, disk, disk.Value);
        return Outcome.Ok;
    }

    // The key's newest record holds a part of the value.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe Outcome ReadParts<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk,
        byte* record, ulong header, long address)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (!TOperation.Merges) throw PartialValues.NoMerger(address);
        Outcome end = Reconciler<TProbe, TOperation>.Collect<TKey, TMode>(
            attempt, key, hash, disk, record, header, isHeld: false, ref address);
        if (end == Outcome.OnDisk) return OnDisk(attempt, key, hash, ref operation, disk, address);
        if (end != Outcome.Ok) return end;
        operation.SingleRead(attempt.Partials.Merge(ref operation));
        return Outcome.Ok;
    }

    // What is in memory now goes with what was read if the chain still goes on where it was read; else what was in
    // memory when the walk began.
    private static Outcome Reconcile<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord disk, long address,
        bool isAlive)
        where TKey : struct, IKey, allows ref struct
    {
        if (isAlive && LargeValues.Lacks(attempt, disk)) return Outcome.Large;
        PartialValues partials = attempt.Partials;
        bool isCurrent = disk.ChainStart == address;
        if (!isCurrent)
        {
            partials.Clear();
            partials.Add(disk.Newer);
        }

        bool isOnDisk = partials.Count == 0;
        partials.Add(disk, isAlive);
        if (partials.Count == 0) return Outcome.NotFound;
        if (partials.Deltas > MergeLedger.Bound) attempt.Merges.Mark(hash);
        ReadOnlySpan<byte> value = partials.Merge(ref operation);
        operation.SingleRead(value);

        // A value in chunks ends with its lowest chunk, which may be truncated while its record is not; one that
        // expires leaves the partial ones behind.
        bool isLasting = !disk.IsLarge && disk.Expiry == RecordExpiry.Never;
        if (isCurrent && isOnDisk && isLasting) attempt.Cache.Add(key, hash, disk, value);
        return Outcome.Ok;
    }
}
