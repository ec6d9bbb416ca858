using System.Buffers;
using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// What the protocols do about values that lie in chunks (docs/LARGEVALUES.md): which record has one, which new value
/// needs it, and what is known of it when an attempt is made.
/// </summary>
/// <remarks>
/// A record with such a value is immutable but for its tombstone and its seal. An attempt that needs the value ends
/// with <see cref="Outcome.Large"/>, one that has made such a value with <see cref="Outcome.Oversized"/>; the chunks
/// are read or written outside every epoch, and the operation tries again. Called by attempts, under their epoch.
/// </remarks>
internal static unsafe class LargeValues
{
    /// <summary>
    /// The value that was gathered of a record in chunks, or the outcome of an attempt that lacks it.
    /// </summary>
    /// <param name="attempt">The attempt; is told what to gather.</param>
    /// <param name="disk">What has been read for the operation, or null.</param>
    /// <param name="address">The record's address.</param>
    /// <param name="head">The record's value.</param>
    /// <param name="value">The value in one piece.</param>
    /// <returns>
    /// Ok; NotFound when the log has been truncated above a part of the value, which is gone with it; or Large.
    /// </returns>
    public static Outcome Find<TProbe>(
        Attempt<TProbe> attempt, DiskRecord? disk, long address, ReadOnlySpan<byte> head, out ReadOnlySpan<byte> value)
        where TProbe : struct, IProbe
    {
        value = default;
        if (disk is not null && disk.GatheredFrom == address)
        {
            value = disk.Gathered;
            return Outcome.Ok;
        }

        // Of a record that was found outside the epoch only what was gone before the search began is absent: what has
        // been given up since may live on in a copy, and the operation begins again when it can't be gathered.
        bool foundBefore = disk is { Found: true } && disk.Address == address
            && !TProbe.Has(SeededBug.ChunksGoneIsAbsent);
        long begin = foundBefore ? disk!.Floor : attempt.Log.BeginAddress;
        LargeHead wanted = LargeHead.Read(head);
        if (wanted.IsSound(address) && wanted.Lowest < begin) return Outcome.NotFound;
        attempt.Wanted = address;
        attempt.Large.Wanted = wanted;
        return Outcome.Large;
    }

    /// <summary>Whether the whole value that was found on disk lies in chunks, and has not been gathered.</summary>
    public static bool Lacks<TProbe>(Attempt<TProbe> attempt, DiskRecord disk)
        where TProbe : struct, IProbe => disk is { Found: true, IsLarge: true }
        && Find(attempt, disk, disk.Address, disk.Value, out _) == Outcome.Large;

    /// <summary>The bytes of the head in a value slot.</summary>
    public static ReadOnlySpan<byte> HeadAt(byte* slot) =>
        new(slot + VariableLength.ValuePrefix, Math.Clamp(*(int*)slot, 0, LargeHead.Size));

    /// <summary>Whether a value is too long for a page, so that it is written in chunks.</summary>
    public static bool IsOversized<TProbe>(Attempt<TProbe> attempt, int keySlot, long length)
        where TProbe : struct, IProbe => IsOversized(attempt.Log, keySlot, length);

    /// <summary>Whether a value is too long for a page, so that it is written in chunks.</summary>
    /// <remarks>
    /// A key that leaves no room for a head beside it is refused as it ever was, when room is taken. There is always
    /// room for an expiry.
    /// </remarks>
    public static bool IsOversized<TProbe>(RecordAllocator<TProbe> log, int keySlot, long length)
        where TProbe : struct, IProbe
    {
        if (log.Splices) return false;
        long room = log.LargestRecord - RecordHeader.Size - (long)keySlot - RecordExpiry.Size
            - VariableLength.ValuePrefix;
        return length > (room & ~7L) && room >= LargeHead.Size;
    }

    /// <summary>
    /// Whether the new value that an attempt brings has chunks to be written before its record can be linked.
    /// </summary>
    public static bool MustWrite<TProbe>(Attempt<TProbe> attempt)
        where TProbe : struct, IProbe =>
        attempt.Large.Prepared is { } prepared && prepared.IsLackingUnderEpoch(attempt.Log);

    /// <summary>What the header of the record that an attempt makes says of its value's place.</summary>
    public static ulong Flags<TProbe>(Attempt<TProbe> attempt)
        where TProbe : struct, IProbe => attempt.Large.Prepared is null ? 0 : RecordHeader.Large;

    /// <summary>Takes room for the record of a value in chunks, and writes it.</summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="key">The key.</param>
    /// <param name="head">What the record is to hold.</param>
    /// <param name="expiry">When it expires.</param>
    /// <param name="other">The length of the value that may take the place of the head.</param>
    /// <returns>False when no page frame is free.</returns>
    public static bool TryReserve<TProbe, TKey>(
        Attempt<TProbe> attempt, scoped TKey key, in LargeHead head, long expiry, int other = 0)
        where TProbe : struct, IProbe
        where TKey : struct, IKey, allows ref struct
    {
        if (!attempt.TryReserve(key, 0, LargeHead.Size, Math.Max(LargeHead.Size, other), expiry)) return false;
        head.WriteTo(attempt.ReservedValue(0));
        return true;
    }

    /// <summary>Makes the updated value, unless the attempt has brought the one made from the same old value.</summary>
    /// <param name="attempt">The attempt; is told of a new value that does not fit a page.</param>
    /// <param name="keySlot">The size of the key's slot.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="exists">Whether there is an old value.</param>
    /// <param name="old">The old value.</param>
    /// <param name="gathered">The array that holds it, when it was gathered.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Update<TProbe, TOperation>(
        Attempt<TProbe> attempt, int keySlot, ref TOperation operation, bool exists, ReadOnlySpan<byte> old,
        byte[]? gathered = null)
        where TProbe : struct, IProbe
        where TOperation : struct, IRmwOperation
    {
        ValueBuffer buffer = attempt.Buffer;
        if (TOperation.ValueSize == 0 && attempt.Large.Prepared is { } prepared)
        {
            if (prepared.IsMadeFrom(exists, old)) return;
            attempt.Large.Drop();
        }

        if (exists) operation.CopyUpdate(old, buffer);
        else operation.InitialUpdate(buffer);
        if (TOperation.ValueSize != 0 || !IsOversized(attempt, keySlot, buffer.Written.Length)) return;
        byte[]? basis = exists ? gathered ?? old.ToArray() : null;
        attempt.Large.Prepared = new LargeWrite<TProbe>(buffer.Detach(), basis);
    }

    /// <summary>Takes room for an upsert's record and writes its value.</summary>
    /// <returns>Ok; NoRoom; or Oversized: the value is <see cref="LargeNeeds{TProbe}.Prepared"/> now.</returns>
    public static Outcome Reserve<TProbe, TKey, TOperation>(
        Attempt<TProbe> attempt, scoped TKey key, ref TOperation operation, in ChainPosition at, long expiry)
        where TProbe : struct, IProbe
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
    {
        if (TOperation.ValueSize == 0 && attempt.Large.Prepared is { } prepared)
            return TryReserve(attempt, key, prepared.Head, expiry) ? Outcome.Ok : Outcome.NoRoom;
        int length = TOperation.ValueSize != 0 ? TOperation.ValueSize : operation.Length;
        if (TOperation.ValueSize == 0 && IsOversized(attempt, key.SlotSize, length))
        {
            byte[] value = new byte[length];
            operation.SingleWrite(value);
            attempt.Large.Prepared = new LargeWrite<TProbe>(new ReadOnlySequence<byte>(value));
            return Outcome.Oversized;
        }

        int capacity = at.CapacityFor(length, TOperation.ValueSize);
        if (!attempt.TryReserve(key, TOperation.ValueSize, length, capacity, expiry)) return Outcome.NoRoom;
        operation.SingleWrite(attempt.ReservedValue(TOperation.ValueSize));
        return Outcome.Ok;
    }
}
