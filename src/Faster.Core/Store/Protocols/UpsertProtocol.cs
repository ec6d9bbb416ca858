using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>Upsert, the blind update (paper 000 App. G, Algorithm 3; Table 2).</summary>
/// <remarks>
/// In the mutable region the value is overwritten in place; anywhere else, the fuzzy region included, a new record goes
/// to the tail: a blind update may be ordered after whatever is still being done to the old one.
/// </remarks>
internal readonly struct UpsertProtocol<TProbe, TOperation> : IProtocol<TProbe, TOperation>
    where TProbe : struct, IProbe
    where TOperation : struct, IUpsertOperation
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    // A whole value goes into a record of its own: value and flag can't both change at once.
    private static bool KeepsDelta => TProbe.Has(SeededBug.UpsertKeepsDelta);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHit<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong word, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        RecordAllocator<TProbe> log = attempt.Log;
        long address = HashIndex<TProbe>.AddressOf(word);
        if (address < log.ReadOnlyAddress) return false;
        byte* record = log.Pointer(address);
        // The header first: only it says that a key stands behind it.
        if (!attempt.MayUpdate(record, KeepsDelta, out ulong header)) return false;
        if (!key.Matches(record + RecordHeader.Size)) return false;
        byte* value = record + RecordHeader.Size + key.SlotSize;
        return TryInPlace(attempt, record, header, value, ref operation);
    }

    /// <inheritdoc/>
    public static unsafe bool TryHitExpiring<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong word, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        if (!ExpiringHit<TProbe>.TryHold(attempt, key, word, out ChainPosition at)) return false;
        long expiry = attempt.Clock.Renewed(RecordExpiry.Never);
        if (!attempt.Clock.IsPast(expiry) && TryUpdateFound(attempt, ref operation, at, expiry)) return true;
        attempt.Unlatch(at.Record, at.Header);
        return false;
    }

    /// <inheritdoc/>
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (TOperation.ValueSize == 0 && LargeValues.MustWrite(attempt)) return Outcome.Oversized;
        if (!attempt.TryLocate(hash, out HashBucket* bucket)) return Outcome.Growing;
        uint tag = HashBits.TagOf(hash);
        bool mayCopy = !TMode.CopiesOld;
        for (;;)
        {
            Outcome found = attempt.FindMutable<TKey, TMode>(key, hash, bucket, out ChainPosition at);
            if (found > Outcome.NotFound) return attempt.GiveUp(found);
            long expiry = attempt.Clock.Renewed(RecordExpiry.Never);
            bool mayStay = found == Outcome.Ok && !attempt.Clock.IsPast(expiry);
            if (mayStay && TryUpdateFound(attempt, ref operation, at, expiry)) return Outcome.Ok;
            if (!mayCopy)
            {
                mayCopy = attempt.TryTakeBucket(hash);
                if (mayCopy) continue;
                return Outcome.Latched;
            }

            if (mayStay && at.IsTombstone && TryRevive(attempt, ref operation, at, expiry)) return Outcome.Ok;

            if (!attempt.TryKeepRoom(expiry))
            {
                Outcome reserved = LargeValues.Reserve(attempt, key, ref operation, at, expiry);
                if (reserved != Outcome.Ok) return attempt.GiveUp(reserved);
            }

            ulong flags = TOperation.ValueSize == 0 ? LargeValues.Flags(attempt) : 0;
            if (attempt.TryLinkReserved(bucket, tag, at, flags))
                return ChainUpkeep<TProbe>.Linked(attempt.Log, key, hash, at);
        }
    }

    /// <summary>Updates the key's record in the mutable region, which may be updated by its header.</summary>
    /// <returns>
    /// False, and nothing has been done: its header has changed, or the new value does not fit.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe bool TryInPlace(
        Attempt<TProbe> attempt, byte* record, ulong header, byte* value, ref TOperation operation)
    {
        if (!attempt.TryBegin(record, header, TOperation.LatchesUpdates)) return false;
        TProbe.Point(ProbePoint.RecordUpdate);
        var current = new ValueSlot(value, TOperation.ValueSize);
        bool fits = operation.ConcurrentWrite(ref current);
        if (TOperation.LatchesUpdates) attempt.Unlatch(record, fits ? attempt.Stamp(header) : header);
        return fits;
    }

    /// <summary>Updates a live record that was found and latched; where it does not fit the latch is kept.</summary>
    private static unsafe bool TryUpdateFound(
        Attempt<TProbe> attempt, ref TOperation operation, in ChainPosition at, long expiry)
    {
        if (at.IsTombstone || at.IsLarge || (at.IsDelta && !KeepsDelta) || !at.CanExpire(expiry)) return false;
        TProbe.Point(ProbePoint.RecordUpdate);
        var current = new ValueSlot(at.Value, TOperation.ValueSize);
        if (!operation.ConcurrentWrite(ref current)) return false;
        TProbe.Point(ProbePoint.RecordUpdate);
        at.Renew(expiry);
        attempt.Unlatch(at.Record, attempt.Stamp(at.Header));
        attempt.Discard();
        return true;
    }

    private static unsafe bool TryRevive(
        Attempt<TProbe> attempt, ref TOperation operation, in ChainPosition at, long expiry)
    {
        if (!at.CanExpire(expiry)) return false;
        var value = new ValueSlot(at.Value, TOperation.ValueSize);
        int length = TOperation.ValueSize != 0 ? TOperation.ValueSize : operation.Length;
        if (at.IsLarge || length > value.Capacity) return false;

        // Made elsewhere first: who reads without a latch may have seen the record before it was deleted.
        ValueBuffer buffer = attempt.Buffer;
        buffer.Clear();
        Span<byte> fresh = buffer.GetSpan(length)[..length];
        fresh.Clear();
        operation.SingleWrite(fresh);
        if (TProbe.Has(SeededBug.RenewBeforeWrite)) at.Renew(expiry);
        TProbe.Point(ProbePoint.RecordUpdate);
        _ = value.TryReplace(fresh);
        TProbe.Point(ProbePoint.RecordUpdate);
        at.Renew(expiry);
        attempt.Unlatch(at.Record, attempt.Stamp(at.Header & ~RecordHeader.Tombstone));
        attempt.Discard();
        return true;
    }
}
