using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Expiry;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>Reads records that expire (docs/internals/expiring-updates.md).</summary>
/// <remarks>No state; runs on the calling session's thread, in its epoch.</remarks>
internal static unsafe class ExpiringRead<TOperation>
    where TOperation : struct, IReadOperation
{
    /// <inheritdoc cref="IAlgorithm{TOperation}.TryHitUnlatched"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryHitUnlatched<TKey>(
        RecentTime* time, scoped TKey key, byte* record, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        ulong ends = Probe.On && Probe.Has(SeededBug.ReadExpiringWhileLatched)
            ? RecordHeader.NotPlain
            : RecordHeader.NotPlain | RecordHeader.Latch;
        if (!RecordValue<TOperation>.IsWord || !RecordMatch.Is(record, key, RecordHeader.Expiring, ends)) return false;
        if (TOperation.RunsUserCode) return false; // what is dead is not shown to it
        byte* slot = record + RecordHeader.Size + key.SlotSize, value = slot + RecordExpiry.Size;
        TOperation copy = operation; // what is dead is not read
        bool readsFirst = Probe.On && Probe.Has(SeededBug.ReadValueBeforeExpiry);
        if (readsFirst) copy.ConcurrentRead(RecordValue<TOperation>.At(value));
        Probe.Point(ProbePoint.RecordUpdate);
        long expiry = Volatile.Read(ref *(long*)slot);
        Probe.Point(ProbePoint.RecordUpdate);
        if (!readsFirst) copy.ConcurrentRead(RecordValue<TOperation>.At(value));
        Probe.Point(ProbePoint.Clock);
        if (Volatile.Read(ref time->Latest) + StoreClock.Near >= expiry) return false;
        operation = copy;
        return true;
    }

    /// <inheritdoc cref="IAlgorithm{TOperation}.TryHitExpiring"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryHit<TKey>(
        Attempt attempt, scoped TKey key, byte* record, long address, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        const ulong Others = RecordHeader.Tombstone | RecordHeader.Delta | RecordHeader.ChainJoin | RecordHeader.Large;
        if ((RecordHeader.Read(record) & (RecordHeader.Expiring | Others)) != RecordHeader.Expiring) return false;
        if (!key.Matches(record + RecordHeader.Size)) return false;
        if (RecordValue<TOperation>.IsWord)
            return ReadAlive(attempt, record, key.SlotSize, ref operation) == Outcome.Ok;
        bool isImmutable = address < attempt.Log.SafeReadOnlyAddress;
        TOperation copy = operation; // the operation itself stays in registers
        if (Read(attempt, null, address, record, key.SlotSize, ref copy, isImmutable) != Outcome.Ok) return false;
        operation = copy;
        return true;
    }

    /// <summary>Reads a record that expires, if it is alive.</summary>
    /// <remarks>A record that may still be updated can be judged expired only under its latch.</remarks>
    /// <param name="attempt">The attempt.</param>
    /// <param name="disk">What has been read from disk for the operation, or null.</param>
    /// <param name="address">The record's address.</param>
    /// <param name="record">The record.</param>
    /// <param name="keySlotSize">The size of the key's slot.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="isImmutable">Whether no thread can update it any more.</param>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Outcome Read(
        Attempt attempt, ChainReadResult? disk, long address, byte* record, int keySlotSize,
        ref TOperation operation, bool isImmutable)
    {
        ulong header = RecordHeader.Read(record);
        if (isImmutable && RecordExpiry.IsUnconfirmed(header)) return Outcome.Retry;
        if (!isImmutable && RecordValue<TOperation>.IsWord)
        {
            Outcome alive = ReadAlive(attempt, record, keySlotSize, ref operation);
            if (alive != Outcome.NotFound) return alive;
        }

        bool latches = !isImmutable && !(Probe.On && Probe.Has(SeededBug.ReadExpiringWithoutLatch));
        if (latches && !attempt.TryLatch(record, out header)) return Outcome.Retry;
        byte* value = RecordExpiry.Value(record, header, keySlotSize, out long expiry);
        if (!isImmutable) Probe.Point(ProbePoint.RecordUpdate);
        Outcome found = (header & RecordHeader.Tombstone) != 0 ? Outcome.NotFound : attempt.Clock.Judge(expiry);
        if (found == Outcome.Ok)
        {
            if (RecordValue<TOperation>.IsLarge(header))
                found = LargeValues.Read(attempt, disk, address, value, ref operation);
            else if (isImmutable) operation.SingleRead(RecordValue<TOperation>.At(value));
            else operation.ConcurrentRead(RecordValue<TOperation>.At(value));
        }

        if (latches) attempt.Unlatch(record, header);
        return found;
    }

    /// <summary>
    /// Reads a word that may still be updated, if its record is alive. The order of the four loads is what makes it
    /// correct (docs/internals/expiring-updates.md): a header without latch, the expiry, the value, the time.
    /// </summary>
    /// <returns><see cref="Outcome.NotFound"/> when only the record's latch can decide.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Outcome ReadAlive(
        Attempt attempt, byte* record, int keySlotSize, ref TOperation operation)
    {
        ulong header = RecordHeader.Read(record);
        byte* slot = record + RecordHeader.Size + keySlotSize;
        ulong ends = Probe.On && Probe.Has(SeededBug.ReadExpiringWhileLatched)
            ? RecordHeader.Tombstone
            : RecordHeader.Tombstone | RecordHeader.Latch;
        if ((header & ends) != 0) return Outcome.NotFound;
        ulong* value = (ulong*)(slot + RecordExpiry.Size);
        ulong early = Probe.On && Probe.Has(SeededBug.ReadValueBeforeExpiry) ? Volatile.Read(ref *value) : 0;
        Probe.Point(ProbePoint.RecordUpdate);
        long expiry = Volatile.Read(ref *(long*)slot);
        Probe.Point(ProbePoint.RecordUpdate);
        ulong word = Volatile.Read(ref *value); // the slot has 8 bytes, whatever the value's size
        if (Probe.On && Probe.Has(SeededBug.ReadValueBeforeExpiry)) word = early;
        Outcome life = attempt.Clock.Judge(expiry);
        if (life == Outcome.Ok) operation.ConcurrentRead(new ReadOnlySpan<byte>(&word, TOperation.ValueSize));
        return life;
    }
}
