using System.Buffers;
using Faster.Chains;
using Faster.Contracts;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Operations.Large;

/// <summary>
/// How the algorithms treat values that lie in fragments (docs/internals/large-values.md): which record has one, which
/// new value
/// needs fragments, and what is known of the value when an attempt is made.
/// </summary>
/// <remarks>
/// A record with such a value is immutable except for its tombstone and sealed bits. An attempt that needs the value
/// ends with <see cref="Outcome.Large"/>; one that has made such a value ends with <see cref="Outcome.Oversized"/>. The
/// fragments are read or written outside every epoch, and the operation tries again. Called by attempts, under their
/// epoch.
/// </remarks>
internal static unsafe class LargeValues
{
    /// <summary>
    /// Finds the gathered value of a record in fragments, or the outcome of an attempt that lacks it.
    /// </summary>
    /// <param name="attempt">The attempt; gets the address and the head of what must be gathered.</param>
    /// <param name="disk">What has been read from disk for the operation, or null.</param>
    /// <param name="address">The record's address.</param>
    /// <param name="head">The bytes of the head, which the record's value slot holds.</param>
    /// <param name="value">The whole value, if it has been gathered.</param>
    /// <returns>
    /// Ok; NotFound when the log has been truncated above a part of the value, which removes it, or Below, if there is
    /// a tier that it has moved to; or Large.
    /// </returns>
    public static Outcome Find(
        Attempt attempt, ChainReadResult? disk, long address, ReadOnlySpan<byte> head,
            out ReadOnlySpan<byte> value)
    {
        Outcome found = FindIn(attempt, attempt.Log, disk, address, head, out value);
        if (found == Outcome.NotFound && attempt.Below is not null
            && !(Probe.On && Probe.Has(SeededBug.MovedValueIsAbsent)))
            return Outcome.Below;
        if (found == Outcome.Large) attempt.Wanted = address;
        return found;
    }

    /// <summary>
    /// Finds the whole value of a record of the tier below, or the outcome of an attempt that lacks it.
    /// </summary>
    /// <param name="attempt">The attempt; gets the address and the head of what must be gathered.</param>
    /// <param name="disk">What has been read from disk for the operation, or null.</param>
    /// <param name="record">The record.</param>
    /// <param name="value">The whole value, if it is known.</param>
    /// <returns>As <see cref="Find"/>, but never Below.</returns>
    public static Outcome FindBelow(
        Attempt attempt, ChainReadResult? disk, scoped in FoundValue record, out ReadOnlySpan<byte> value)
    {
        value = record.Value;
        if (!record.IsLarge) return Outcome.Ok;
        Outcome found = FindIn(attempt, attempt.Below!.Log, disk?.Below, record.Address, record.Value, out value);
        return found == Outcome.Large ? attempt.LackBelow(found, record.Address) : found;
    }

    /// <summary>
    /// Whether a log is being truncated where a value in fragments begins that a copied record leads to, so that no
    /// record may be linked to it any more. Called in the epoch in which the record is linked.
    /// </summary>
    /// <param name="log">The log.</param>
    /// <param name="flags">The flags of the record's header.</param>
    /// <param name="value">The bytes of its value.</param>
    public static bool IsPassedOver(RecordAllocator log, ulong flags, ReadOnlySpan<byte> value)
    {
        if ((flags & RecordHeader.Large) == 0 || (Probe.On && Probe.Has(SeededBug.HeadIgnoresFloor))) return false;
        Probe.Point(ProbePoint.RegionMarker);
        return LargeHead.AtEndOf(value).Lowest < ((PagedLog)log).Writes.Floor;
    }

    private static Outcome FindIn(
        Attempt attempt, RecordAllocator log, ChainReadResult? disk, long address,
        ReadOnlySpan<byte> head, out ReadOnlySpan<byte> value)
    {
        value = default;
        if (disk is not null && disk.GatheredFrom == address)
        {
            value = disk.Gathered;
            return Outcome.Ok;
        }

        // For a record that was found outside the epoch, only what was gone before the search began counts as absent.
        // What has been truncated since may live on in a copy; the operation begins again when it can't be gathered.
        bool foundBefore = disk is { Found: true } && disk.Address == address
            && !(Probe.On && Probe.Has(SeededBug.FragmentsGoneIsAbsent));
        long begin = foundBefore ? disk!.Floor : log.BeginAddress;
        LargeHead wanted = LargeHead.Read(head);
        if (wanted.IsSound(address) && wanted.Lowest < begin) return Outcome.NotFound;
        attempt.Large.Wanted = wanted;
        return Outcome.Large;
    }

    /// <summary>Reads the gathered value of a record in fragments.</summary>
    /// <inheritdoc cref="Find"/>
    /// <returns>As <see cref="Find"/>.</returns>
    public static Outcome Read<TOperation>(
        Attempt attempt, ChainReadResult? disk, long address, byte* slot, ref TOperation operation)
        where TOperation : struct, IReadOperation
    {
        Outcome found = Find(attempt, disk, address, HeadAt(slot), out ReadOnlySpan<byte> value);
        if (found == Outcome.Ok) operation.SingleRead(value);
        return found;
    }

    /// <summary>Whether a whole value that was found on disk lies in fragments that have not been gathered.</summary>
    public static bool Lacks(Attempt attempt, ChainReadResult disk) => disk is { Found: true, IsLarge: true }
        && Find(attempt, disk, disk.Address, disk.Value, out _) == Outcome.Large;

    /// <summary>The bytes of the head in a value slot.</summary>
    public static ReadOnlySpan<byte> HeadAt(byte* slot) =>
        new(slot + ValueLayout.Prefix, Math.Clamp(*(int*)slot, 0, LargeHead.Size));

    /// <summary>Whether a value is too long for a page, so that it is written in fragments.</summary>
    public static bool IsOversized(Attempt attempt, int keySlot, long length) =>
        IsOversized(attempt.Log, keySlot, length);

    /// <summary>Whether a value is too long for a page, so that it is written in fragments.</summary>
    /// <remarks>
    /// A key that leaves no space for a head beside it is refused when the record's space is allocated. There is always
    /// space for an expiry.
    /// </remarks>
    public static bool IsOversized(RecordAllocator log, int keySlot, long length)
    {
        if (log.Splices) return false;
        long available = log.LargestRecord - RecordHeader.Size - (long)keySlot - RecordExpiry.Size
            - ValueLayout.Prefix;
        return length > (available & ~7L) && available >= LargeHead.Size;
    }

    /// <summary>
    /// Whether the attempt's new value has fragments that must be written before its record can be linked.
    /// </summary>
    public static bool MustWrite(Attempt attempt) =>
        attempt.Large.Prepared is { } prepared && prepared.IsLackingUnderEpoch(attempt.Log);

    /// <summary>Whether the attempt's new value has fragments that have not been written.</summary>
    public static bool LacksFragments(Attempt attempt) => attempt.Large.Prepared is { IsDone: false };

    /// <summary>The header flags of the record that an attempt makes: whether its value lies in fragments.</summary>
    public static ulong Flags(Attempt attempt) => attempt.Large.Prepared is null ? 0 : RecordHeader.Large;

    /// <summary>Reserves space for the record of a value in fragments, and writes the head.</summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="key">The key.</param>
    /// <param name="head">The head that the record holds.</param>
    /// <param name="expiry">The record's expiry.</param>
    /// <param name="other">The length of the value that may replace the head.</param>
    /// <returns>False when no page frame is free.</returns>
    public static bool TryReserve<TKey>(
        Attempt attempt, scoped TKey key, in LargeHead head, long expiry, int other = 0)
        where TKey : struct, IKey, allows ref struct
    {
        if (!attempt.Reservation.TryTake(key, 0, LargeHead.Size, Math.Max(LargeHead.Size, other), expiry)) return false;
        head.WriteTo(attempt.Reservation.Value(0));
        return true;
    }

    /// <summary>Reserves space for an upsert's record and writes its value.</summary>
    /// <returns>
    /// Ok; AllocationFailed; or Oversized, with the value in <see cref="LargeNeeds.Prepared"/>.
    /// </returns>
    public static Outcome Reserve<TKey, TOperation>(
        Attempt attempt, scoped TKey key, ref TOperation operation, in ChainPosition at, long expiry)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
    {
        if (TOperation.ValueSize == 0 && attempt.Large.Prepared is { } prepared)
            return TryReserve(attempt, key, prepared.Head, expiry) ? Outcome.Ok : Outcome.AllocationFailed;
        int length = TOperation.ValueSize != 0 ? TOperation.ValueSize : operation.Length;
        if (TOperation.ValueSize == 0 && IsOversized(attempt, key.SlotSize, length))
        {
            byte[] value = new byte[length];
            operation.SingleWrite(value);
            attempt.Large.Prepared = new LargeWrite(new ReadOnlySequence<byte>(value));
            return Outcome.Oversized;
        }

        int capacity = at.CapacityFor(length, TOperation.ValueSize);
        if (!attempt.Reservation.TryTake(key, TOperation.ValueSize, length, capacity, expiry))
            return Outcome.AllocationFailed;
        operation.SingleWrite(attempt.Reservation.Value(TOperation.ValueSize));
        return Outcome.Ok;
    }
}
