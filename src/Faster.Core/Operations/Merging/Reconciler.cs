using Faster.Contracts;
using Faster.Log;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Probes;

namespace Faster.Operations.Merging;

/// <summary>
/// Collects a key's deltas from the part of its chain that is in memory (paper 000 §6.3): newest first, down to a whole
/// value, a tombstone, or the end.
/// </summary>
/// <remarks>
/// <para>Why they are the values of one moment: all but the newest are taken only once they are immutable; otherwise
/// the walk must be repeated when the region's markers have moved. An operation that updates an older one in place
/// found it before the newer one was linked, and is ordered before that. So the moment at which the newest is copied is
/// one at which all of them held (docs/internals/merging.md has the proof).</para>
/// <para>Under the caller's epoch. The newest delta may be changed or die in the meantime: it is copied under its
/// latch, even when it is sealed, because a seal that a collapse has set may be lifted at any time.</para>
/// </remarks>
internal static unsafe class Reconciler<TOperation>
    where TOperation : struct, IMergeOperation
{
    /// <summary>Collects the values into <see cref="Attempt.Deltas"/>.</summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">The key's hash.</param>
    /// <param name="disk">What has been read from disk for the operation, or null.</param>
    /// <param name="record">The key's newest record, which is a delta.</param>
    /// <param name="header">The record's header, as read once.</param>
    /// <param name="isHeld">
    /// Whether no other thread can change that record: the attempt has its latch, or it was sealed an epoch ago.
    /// </param>
    /// <param name="address">
    /// The record's address. On return, the address of the tombstone or whole record at which the values end, or of the
    /// first record behind those in memory.
    /// </param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: all values are collected. <see cref="Outcome.OnDisk"/>: all that are in memory.
    /// <see cref="Outcome.NotFound"/>: the key has been deleted in the meantime. <see cref="Outcome.Retry"/>: another
    /// thread may still change an older one, or has the latch. <see cref="Outcome.Expired"/>: the whole value has just
    /// died. <see cref="Outcome.Large"/>: the whole value lies in fragments, which must be gathered.
    /// <see cref="Outcome.Below"/>: all values of this tier are collected; the tier below may have the whole one.
    /// <see cref="Outcome.CprShift"/>: one is of the next version.
    /// </returns>
    public static Outcome Collect<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ChainReadResult? disk, byte* record, ulong header,
        bool isHeld, ref long address)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator log = attempt.Log;
        DeltaValues deltas = attempt.Deltas;
        deltas.Clear();
        for (;;)
        {
            if (TMode.StopsAtNext && attempt.Version.MustShift(address, header)) return Outcome.CprShift;
            byte* value = RecordExpiry.Value(record, header, key.SlotSize, out long expiry);
            bool isNewest = deltas.Count == 0 && !(Probe.On && Probe.Has(SeededBug.HeldDeltaWithoutLatch));
            bool isSealed = (header & RecordHeader.Sealed) != 0 && !isNewest; // the seal of the newest may be lifted
            if (address < log.SafeReadOnlyAddress || isSealed || isHeld)
            {
                if ((header & RecordHeader.Tombstone) != 0)
                    return deltas.Count == 0 ? Outcome.NotFound : Outcome.Ok;
                Outcome life = attempt.Clock.Judge(expiry);
                if (life != Outcome.Ok) return life == Outcome.NotFound && deltas.Count != 0 ? Outcome.Ok : life;
                if (TOperation.ValueSize == 0 && (header & RecordHeader.Large) != 0)
                {
                    ReadOnlySpan<byte> head = LargeValues.HeadAt(value);
                    Outcome found = LargeValues.Find(attempt, disk, address, head, out ReadOnlySpan<byte> whole);
                    if (found != Outcome.Ok) return found == Outcome.NotFound ? Outcome.Ok : found;
                    deltas.Add(whole);
                }
                else
                {
                    Probe.Point(ProbePoint.RecordUpdate);
                    AddShared(log, deltas, value); // for a reader, a sealed one may not be final yet
                }
            }
            else if (deltas.Count == 0)
            {
                Outcome copied = CopyNewest(attempt, record, value, ref header);
                if (copied != Outcome.Ok) return copied;
            }
            else
            {
                if (!(Probe.On && Probe.Has(SeededBug.ReconcileInFuzzyRegion))) return Outcome.Retry;
                if ((header & RecordHeader.Tombstone) != 0) return Outcome.Ok;
                Probe.Point(ProbePoint.RecordUpdate);
                AddShared(log, deltas, value);
            }

            if ((header & RecordHeader.Delta) == 0)
            {
                deltas.EndWithWhole(expiry);
                return Outcome.Ok;
            }

            isHeld = false;
            address = RecordHeader.Previous(header);
            record = log.Find(key, hash, log.HeadAddress, ref address, out header);
            if (record != null) continue;
            if (address >= log.BeginAddress) return Outcome.OnDisk;
            bool ends = attempt.Below is null || (Probe.On && Probe.Has(SeededBug.DeltasEndAtBegin));
            return ends ? Outcome.Ok : Outcome.Below;
        }
    }

    // Under the latch, so that it is not deleted and revived as a whole value between the reads of header and value.
    private static Outcome CopyNewest(Attempt attempt, byte* record, byte* value, ref ulong header)
    {
        bool latches = !(Probe.On && Probe.Has(SeededBug.DeltaWithoutLatch));
        if (latches && !attempt.TryLatch(record, out header)) return Outcome.Retry;
        bool isTombstone = (header & RecordHeader.Tombstone) != 0;
        if (!isTombstone)
        {
            Probe.Point(ProbePoint.RecordUpdate);
            AddShared(attempt.Log, attempt.Deltas, value);
        }

        if (latches) attempt.Unlatch(record, header);
        return isTombstone ? Outcome.NotFound : Outcome.Ok;
    }

    private static void AddShared(RecordAllocator log, DeltaValues deltas, byte* slot)
    {
        ReadOnlySpan<byte> value = RecordValue<TOperation>.At(slot, log.Layout);
        fixed (byte* bytes = value) deltas.AddShared(bytes, value.Length);
    }
}
