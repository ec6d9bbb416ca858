using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>Read (paper 000 App. G, Algorithm 2).</summary>
/// <remarks>
/// A record below the safe-read-only address is immutable and read as it is. Above it somebody may be updating: a value
/// of up to eight bytes is read by one atomic load, a longer one under the record's latch, unless the user's functions
/// bring their own atomics.
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
        if (!key.Matches(record + RecordHeader.Size)) return false;
        if (!RecordHeader.IsPlain(record)) return false;
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
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator<TProbe> log = attempt.Log;
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
        if (record == null) return OnDisk(attempt, key, hash, ref operation, disk, address);
        if (TMode.StopsAtNext && attempt.MustShift(address, header)) return Outcome.Shift;
        if ((header & RecordHeader.Tombstone) != 0) return Outcome.NotFound;
        if ((header & RecordHeader.Expiring) != 0)
            return ReadExpiring(attempt, record, key.SlotSize, ref operation, address < log.SafeReadOnlyAddress);
        byte* value = record + RecordHeader.Size + key.SlotSize;
        if (address < log.SafeReadOnlyAddress)
        {
            operation.SingleRead(Value(value));
            return Outcome.Ok;
        }

        TProbe.Point(ProbePoint.RecordUpdate);
        if (TOperation.LatchesReads) return ReadLatched(attempt, record, value, ref operation);
        operation.ConcurrentRead(Value(value));
        return Outcome.Ok;
    }

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

    // Where the record may still be updated, value and expiry belong together under its latch alone.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe Outcome ReadExpiring(
        Attempt<TProbe> attempt, byte* record, int keySlotSize, ref TOperation operation, bool isImmutable)
    {
        ulong header = RecordHeader.Read(record);
        if (isImmutable && RecordExpiry.IsUnconfirmed(header)) return Outcome.Retry;
        bool latches = !isImmutable && !TProbe.Has(SeededBug.ReadExpiringWithoutLatch);
        if (latches && !attempt.TryLatch(record, out header)) return Outcome.Retry;
        byte* value = RecordExpiry.Value(record, header, keySlotSize, out long expiry);
        if (!isImmutable) TProbe.Point(ProbePoint.RecordUpdate);
        Outcome found = (header & RecordHeader.Tombstone) != 0 ? Outcome.NotFound : attempt.Clock.Judge(expiry);
        if (found == Outcome.Ok)
        {
            if (isImmutable) operation.SingleRead(Value(value));
            else operation.ConcurrentRead(Value(value));
        }

        if (latches) attempt.Unlatch(record, header);
        return found;
    }

    private static Outcome OnDisk<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk, long address)
        where TKey : struct, IKey, allows ref struct
    {
        if (address < attempt.Log.BeginAddress) return Outcome.NotFound;
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
        if (life == Outcome.NotFound) return life;
        operation.SingleRead(disk.Value);
        if (disk.ChainStart == address) attempt.Cache.Add(key, hash, disk);
        return Outcome.Ok;
    }
}
