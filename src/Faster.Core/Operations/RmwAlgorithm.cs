using System.Runtime.CompilerServices;
using Faster.Chains;
using Faster.Contracts;
using Faster.Expiry;
using Faster.Index.Entries;
using Faster.Log.Records;
using Faster.Operations.Merging;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>Read-modify-write (paper 000 App. G, Algorithm 4; Table 2).</summary>
/// <remarks>
/// By the place of the key's newest record, in the order in which <see cref="TryUnderEpoch"/> asks: in place in the
/// mutable region; by a copy at the tail below the safe-read-only address; not at all in the fuzzy
/// region between, where other sessions may still update the record that would be copied (the lost-update anomaly,
/// §6.2): the attempt ends, and the session tries again when the marker has moved. On disk: after the record has been
/// read. Where values are merged (§6.3, CRDTs), neither waits: a delta is linked in front.
/// <para>It has created the record, and says so, exactly if the value that took effect was made from none.</para>
/// </remarks>
internal readonly struct RmwAlgorithm<TEntries, TOperation> : IAlgorithm<TOperation>
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, IRmwOperation
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    /// <inheritdoc/>
    public static bool IsJournaled => true;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHit<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        bool begun = Attempt.TryBegin(
            attempt, view, key, record, TOperation.LatchesUpdates, TOperation.Merges, out ulong header);
        if (!begun) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        var value = ValueLayout.At(record + RecordHeader.Size + key.SlotSize, TOperation.ValueSize);
        bool fits = operation.InPlaceUpdate(ref value);
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
        if (!RecordValue<TOperation>.IsUnlatched || TOperation.Merges) return false;
        if (!view->IsUpdatableUnlatched<TKey>(record, key, time, keeps: true)) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        RecordHeader.Stamp(record, view->VersionCode);
        var value = ValueLayout.At(
            record + RecordHeader.Size + key.SlotSize + RecordExpiry.Size, TOperation.ValueSize);
        return operation.InPlaceUpdate(ref value);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHitExpiring<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        if (!ExpiringHit.TryHold(attempt, key, record, address, out ChainPosition at)) return false;
        if (TryUpdateFound(attempt, ref operation, at)) return true;
        attempt.Unlatch(at.Record, at.Header);
        return false;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.NoInlining)] // the caller would get an attempt for each mode
    public static Outcome TryUnderEpoch<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        scoped RmwAttempt<TKey, TMode, TEntries, TOperation> made;
        Unsafe.SkipInit(out made);
        return made.Run(attempt, key, hash, ref operation, disk);
    }

    /// <summary>Whether the latched record may be given an expiry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool MayPut(Attempt attempt, in ChainPosition at, long expiry) =>
        !RecordValue<TOperation>.IsUnlatched || attempt.Clock.MayPut(at.Expiry, expiry);

    /// <summary>
    /// Updates a live, latched record. A journaled update works on a copy of the value, and adds to no delta: a delta
    /// in the journal is what one operation has added.
    /// </summary>
    /// <returns>
    /// <see cref="Outcome.NotFound"/>: the new value must go to another record. Any other outcome but
    /// <see cref="Outcome.Ok"/> ends the attempt.
    /// </returns>
    public static Outcome UpdateFound(Attempt attempt, ref TOperation operation, in ChainPosition at)
    {
        if (!attempt.IsJournaled) return TryUpdateFound(attempt, ref operation, at) ? Outcome.Ok : Outcome.NotFound;
        if (at.IsDelta && !TOperation.Merges) throw DeltaValues.NoMerger(at.Address);
        bool isFixed = at.IsDelta && !(Probe.On && Probe.Has(SeededBug.DeltaAddedInPlace));
        if (at.IsTombstone || at.IsLarge || isFixed) return Outcome.NotFound;
        long expiry = attempt.Clock.Renewed(at.Expiry);
        if (!at.CanExpire(expiry)) return Outcome.NotFound;
        ValueSlot value = attempt.Entry!.Copy(at, TOperation.ValueSize);
        return operation.InPlaceUpdate(ref value)
            ? attempt.Install(at, value, TOperation.ValueSize, expiry)
            : Outcome.NotFound;
    }

    /// <summary>Updates a live, latched record; keeps the latch if the new value does not fit.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryUpdateFound(Attempt attempt, ref TOperation operation, in ChainPosition at)
    {
        if (at.IsTombstone || at.IsLarge) return false;
        if (at.IsDelta && !TOperation.Merges) throw DeltaValues.NoMerger(at.Address);
        long expiry = attempt.Clock.Renewed(at.Expiry);
        if (!at.CanExpire(expiry) || !MayPut(attempt, at, expiry)) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        var current = ValueLayout.At(at.Value, TOperation.ValueSize);
        if (!operation.InPlaceUpdate(ref current)) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        at.Renew(expiry);
        attempt.UnlatchUpdated(at.Record, at.Header);
        attempt.Reservation.GiveBack();
        return true;
    }
}
