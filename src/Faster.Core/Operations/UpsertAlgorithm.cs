using System.Runtime.CompilerServices;
using Faster.Chains;
using Faster.Contracts;
using Faster.Expiry;
using Faster.Index.Entries;
using Faster.Invariants;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>Upsert, the blind update (paper 000 App. G, Algorithm 3; Table 2).</summary>
/// <remarks>
/// By the place of the key's newest record: in the mutable region the value is overwritten in place. Elsewhere,
/// including the fuzzy region, a new record is appended at the tail: a blind update may be ordered after any update of
/// the old record that is still running.
/// </remarks>
internal readonly struct UpsertAlgorithm<TEntries, TOperation> : IAlgorithm<TOperation>
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, IUpsertOperation
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    /// <inheritdoc/>
    public static bool IsJournaled => true;

    // A whole value needs a record of its own: value and delta flag can't both change at once.
    private static bool KeepsDelta => Probe.On && Probe.Has(SeededBug.UpsertKeepsDelta);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHit<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        bool begun = Attempt.TryBegin(
            attempt, view, key, record, TOperation.LatchesUpdates, KeepsDelta, out ulong header);
        if (!begun) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        var value = ValueLayout.At(record + RecordHeader.Size + key.SlotSize, TOperation.ValueSize);
        bool fits = operation.ConcurrentWrite(ref value);
        if (TOperation.LatchesUpdates && fits) attempt.UnlatchUpdated(record, header);
        else if (TOperation.LatchesUpdates) attempt.Unlatch(record, header);
        return fits;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHitUnlatched<TKey>(
        QuietView* view, RecentTime* time, scoped TKey key, byte* record, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        if (!RecordValue<TOperation>.IsUnlatched) return false;
        if (!view->IsUpdatableUnlatched<TKey>(record, key, time, keeps: false)) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        RecordHeader.Stamp(record, view->VersionCode);
        var value = ValueLayout.At(
            record + RecordHeader.Size + key.SlotSize + RecordExpiry.Size, TOperation.ValueSize);
        return operation.ConcurrentWrite(ref value);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHitExpiring<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        if (!ExpiringHit.TryHold(attempt, key, record, address, out ChainPosition at)) return false;
        long expiry = attempt.Clock.Renewed(RecordExpiry.Never);
        bool mayStay = MayStay(attempt, at, expiry);
        if (mayStay && TryUpdateFound(attempt, ref operation, at, expiry)) return true;
        attempt.Unlatch(at.Record, at.Header);
        return false;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryLink<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, ulong hash, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        if (TOperation.ValueSize == 0 || TOperation.RunsUserCode) return false;
        if (!view->TryFindBelow(hash, attempt.Space.Below, out QuietEntry entry)) return false;
        int before = RecordHeader.Size + key.SlotSize, size = before + (int)RecordLayout.AlignUp(TOperation.ValueSize);
        if (!attempt.Space.TryTake(size, out long made)) return false;
        Invariant.DebugCheck(made > entry.Address, $"addresses fall along a chain: {made} in front of {entry.Address}");
        byte* record = view->Pointer(made);
        key.WriteTo(record + RecordHeader.Size);
        operation.SingleWrite(ValueLayout.Bytes(record + before, TOperation.ValueSize));
        RecordHeader.Write(record, (ulong)entry.Address | view->VersionBits);
        Probe.Point(ProbePoint.RecordLink);
        if (!entry.TryReplace(made))
        {
            RecordHeader.Write(record, view->VersionBits | RecordHeader.Invalid);
            return false;
        }

        attempt.Cache.OnAppend(entry.Address);
        return true;
    }

    /// <inheritdoc/>
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (TOperation.ValueSize == 0 && LargeValues.MustWrite(attempt)) return Outcome.Oversized;
        scoped KeySearch<TKey, TMode, TEntries, TOperation> search;
        Unsafe.SkipInit(out search);
        search.Prepare(attempt, key, hash, ref operation, disk);
        Outcome located = search.Locate();
        if (located != Outcome.Ok) return located;
        ref ChainPosition at = ref search.At;
        bool mayCopy = !TMode.CopiesOld || attempt.Bucket.IsFree;
        for (;;)
        {
            Outcome found = search.FindMutable();
            if (found > Outcome.NotFound) return attempt.GiveUp(found);
            long expiry = attempt.Clock.Renewed(RecordExpiry.Never);
            bool mayStay = found == Outcome.Ok && MayStay(attempt, at, expiry);
            Outcome updated = !mayStay ? Outcome.NotFound : UpdateFound(attempt, ref operation, at, expiry);
            if (updated == Outcome.Ok) return updated;
            if (updated != Outcome.NotFound) return attempt.GiveUp(updated);
            if (!mayCopy)
            {
                mayCopy = attempt.TryTakeBucket(hash);
                if (mayCopy) continue;
                return Outcome.BucketLatched;
            }

            bool mayRevive = mayStay && at.IsTombstone && !attempt.IsJournaled;
            if (mayRevive && TryRevive(attempt, ref operation, at, expiry)) return Outcome.Ok;

            if (!attempt.Reservation.TryReuse(expiry))
            {
                Outcome reserved = LargeValues.Reserve(attempt, key, ref operation, at, expiry);
                if (reserved != Outcome.Ok) return attempt.GiveUp(reserved);
            }

            ulong flags = TOperation.ValueSize == 0 ? LargeValues.Flags(attempt) : 0;
            Outcome linked = attempt.LinkReserved<TEntries>(at, flags);
            if (linked == Outcome.Ok)
            {
                // Beside a commit, the old record has not been read: the mark is not worth waiting for its cache line.
                return TMode.CopiesOld ? linked : ChainMaintenance.Linked(attempt.Log, key, hash, at);
            }

            if (linked != Outcome.Retry) return attempt.GiveUp(linked);
        }
    }

    // Whether the latched record may be given an expiry. Otherwise a new one replaces it: an update is blind.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool MayStay(Attempt attempt, in ChainPosition at, long expiry) =>
        !attempt.Clock.IsPast(expiry)
            && (!RecordValue<TOperation>.IsUnlatched || attempt.Clock.MayPut(at.Expiry, expiry));

    // NotFound: the value must go to another record.
    private static Outcome UpdateFound(Attempt attempt, ref TOperation operation, in ChainPosition at, long expiry)
    {
        if (!attempt.IsJournaled)
            return TryUpdateFound(attempt, ref operation, at, expiry) ? Outcome.Ok : Outcome.NotFound;
        if (at.IsTombstone || at.IsLarge || at.IsDelta || !at.CanExpire(expiry)) return Outcome.NotFound;
        ValueSlot value = attempt.Entry!.Copy(at, TOperation.ValueSize);
        return operation.ConcurrentWrite(ref value)
            ? attempt.Install(at, value, TOperation.ValueSize, expiry)
            : Outcome.NotFound;
    }

    /// <summary>Updates a live, latched record; keeps the latch if the new value does not fit.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe bool TryUpdateFound(
        Attempt attempt, ref TOperation operation, in ChainPosition at, long expiry)
    {
        if (at.IsTombstone || at.IsLarge || (at.IsDelta && !KeepsDelta) || !at.CanExpire(expiry)) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        var current = ValueLayout.At(at.Value, TOperation.ValueSize);
        if (!operation.ConcurrentWrite(ref current)) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        at.Renew(expiry);
        attempt.UnlatchUpdated(at.Record, at.Header);
        attempt.Reservation.GiveBack();
        return true;
    }

    private static unsafe bool TryRevive(Attempt attempt, ref TOperation operation, in ChainPosition at, long expiry)
    {
        if (!at.CanExpire(expiry)) return false;
        var value = ValueLayout.At(at.Value, TOperation.ValueSize);
        int length = TOperation.ValueSize != 0 ? TOperation.ValueSize : operation.Length;
        if (at.IsLarge || length > value.Capacity) return false;

        // Made in a buffer first: a reader without a latch may have seen the record before it was deleted.
        ValueBuffer buffer = attempt.Buffer;
        buffer.Clear();
        Span<byte> fresh = buffer.GetSpan(length)[..length];
        fresh.Clear();
        operation.SingleWrite(fresh);
        if (Probe.On && Probe.Has(SeededBug.RenewBeforeWrite)) at.Renew(expiry);
        Probe.Point(ProbePoint.RecordUpdate);
        _ = value.TryReplace(fresh);
        Probe.Point(ProbePoint.RecordUpdate);
        at.Renew(expiry);
        attempt.UnlatchUpdated(at.Record, at.Header & ~RecordHeader.Tombstone);
        attempt.Reservation.GiveBack();
        return true;
    }
}
