using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// Collects a key's partial values from the part of its chain that is in memory (paper 000 §6.3): newest first, down to
/// a whole value, a tombstone or the end.
/// </summary>
/// <remarks>
/// <para>Why they are the values of one moment. All but the newest are taken only once they are immutable; else the
/// walk is to be done again, when the region's markers have moved. Whoever updates an older one in place found it
/// before the newer one was linked, and is ordered before that. So the moment at which the newest is copied is the one
/// at which all of them held (docs/MERGING.md has the proof).</para>
/// <para>Under the caller's epoch. The newest may be changed or die meanwhile: it is copied under its latch, also when
/// it is sealed, for a seal that a collapse has set may be lifted at any time.</para>
/// </remarks>
internal static unsafe class Reconciler<TProbe, TOperation>
    where TProbe : struct, IProbe
    where TOperation : struct, IMergeOperation
{
    /// <summary>Collects into <see cref="Attempt{TProbe}.Partials"/>.</summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="disk">What has been read for the operation, or null.</param>
    /// <param name="record">The key's newest record, which holds a partial value.</param>
    /// <param name="header">Its header, as read once.</param>
    /// <param name="isHeld">
    /// Whether nobody can change that record: the attempt has its latch, or it was sealed an epoch ago.
    /// </param>
    /// <param name="address">
    /// Its address; becomes that of the record at which the values end, a tombstone or a whole one, or the first one
    /// behind those in memory.
    /// </param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: all are there. <see cref="Outcome.OnDisk"/>: all that are in memory.
    /// <see cref="Outcome.NotFound"/>: the key has been deleted meanwhile. <see cref="Outcome.Retry"/>: somebody may
    /// still change an older one, or has the latch. <see cref="Outcome.Expired"/>: the whole one has just died.
    /// <see cref="Outcome.Large"/>: the whole one lies in chunks, which are to be gathered.
    /// <see cref="Outcome.Shift"/>: one is of the next version.
    /// </returns>
    public static Outcome Collect<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, DiskRecord? disk, byte* record, ulong header,
        bool isHeld, ref long address)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        RecordAllocator<TProbe> log = attempt.Log;
        PartialValues partials = attempt.Partials;
        partials.Clear();
        for (;;)
        {
            if (TMode.StopsAtNext && attempt.MustShift(address, header)) return Outcome.Shift;
            byte* value = RecordExpiry.Value(record, header, key.SlotSize, out long expiry);
            bool isNewest = partials.Count == 0 && !TProbe.Has(SeededBug.SealedPartWithoutLatch);
            bool isSealed = (header & RecordHeader.Sealed) != 0 && !isNewest; // that of the newest may be lifted
            if (address < log.SafeReadOnlyAddress || isSealed || isHeld)
            {
                if ((header & RecordHeader.Tombstone) != 0)
                    return partials.Count == 0 ? Outcome.NotFound : Outcome.Ok;
                Outcome life = attempt.Clock.Judge(expiry);
                if (life != Outcome.Ok) return life == Outcome.NotFound && partials.Count != 0 ? Outcome.Ok : life;
                if (TOperation.ValueSize == 0 && (header & RecordHeader.Large) != 0)
                {
                    ReadOnlySpan<byte> head = LargeValues.HeadAt(value);
                    Outcome found = LargeValues.Find(attempt, disk, address, head, out ReadOnlySpan<byte> whole);
                    if (found != Outcome.Ok) return found == Outcome.NotFound ? Outcome.Ok : found;
                    partials.Add(whole);
                }
                else
                {
                    TProbe.Point(ProbePoint.RecordUpdate);
                    AddShared(log, partials, value); // a sealed one may not be final yet, to readers
                }
            }
            else if (partials.Count == 0)
            {
                Outcome copied = CopyNewest(attempt, record, value, ref header);
                if (copied != Outcome.Ok) return copied;
            }
            else
            {
                if (!TProbe.Has(SeededBug.ReconcileInFuzzyRegion)) return Outcome.Retry;
                if ((header & RecordHeader.Tombstone) != 0) return Outcome.Ok;
                TProbe.Point(ProbePoint.RecordUpdate);
                AddShared(log, partials, value);
            }

            if ((header & RecordHeader.Delta) == 0)
            {
                partials.EndWithWhole(expiry);
                return Outcome.Ok;
            }

            isHeld = false;
            address = RecordHeader.Previous(header);
            record = log.Find(key, hash, log.HeadAddress, ref address, out header);
            if (record == null) return address < log.BeginAddress ? Outcome.Ok : Outcome.OnDisk;
        }
    }

    // Under the latch, so that it is not deleted and revived as a whole value between the looks at header and value.
    private static Outcome CopyNewest(Attempt<TProbe> attempt, byte* record, byte* value, ref ulong header)
    {
        bool latches = !TProbe.Has(SeededBug.PartialWithoutLatch);
        if (latches && !attempt.TryLatch(record, out header)) return Outcome.Retry;
        bool isTombstone = (header & RecordHeader.Tombstone) != 0;
        if (!isTombstone)
        {
            TProbe.Point(ProbePoint.RecordUpdate);
            AddShared(attempt.Log, attempt.Partials, value);
        }

        if (latches) attempt.Unlatch(record, header);
        return isTombstone ? Outcome.NotFound : Outcome.Ok;
    }

    private static void AddShared(RecordAllocator<TProbe> log, PartialValues partials, byte* slot)
    {
        ReadOnlySpan<byte> value = Value(log, slot);
        fixed (byte* bytes = value) partials.AddShared(bytes, value.Length);
    }

    // What the store does for itself does not know the size at compile time: its schema tells.
    private static ReadOnlySpan<byte> Value(RecordAllocator<TProbe> log, byte* slot) => TOperation.ValueSize != 0
        ? new ReadOnlySpan<byte>(slot, TOperation.ValueSize)
        : log.Layout.ValueAt(slot);
}
