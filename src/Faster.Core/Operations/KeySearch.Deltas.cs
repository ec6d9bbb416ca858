using Faster.Contracts;
using Faster.Log;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;

namespace Faster.Operations;

/// <remarks>
/// <para><b>Merged values</b> (paper 000 §6.3; docs/internals/merging.md has the proof). A key's deltas are collected
/// into <see cref="Attempt.Deltas"/>, newest first: from memory, then from disk, down to a whole value, a tombstone, or
/// the end; where the whole value lies in the tier below, it is their <i>base</i>
/// (docs/internals/tiered-merging.md).</para>
/// <para>Why they are the values of one moment: all but the newest are taken only once they are immutable; otherwise
/// the walk must be repeated when the region's markers have moved. An operation that updates an older one in place
/// found it before the newer one was linked, and is ordered before that. So the moment at which the newest is copied is
/// one at which all of them held.</para>
/// <para>The newest delta may be changed or die in the meantime: it is copied under its latch, even when it is sealed,
/// because a seal that a collapse has set may be lifted at any time.</para>
/// </remarks>
internal unsafe ref partial struct KeySearch<TKey, TMode, TEntries, TOperation>
{
    /// <summary>
    /// Collects the values of a key whose newest record, which was found, is a delta. The search ends at the tombstone
    /// or whole record at which the values end, or at the first address behind those in memory.
    /// </summary>
    /// <param name="isHeld">
    /// Whether no other thread can change that record: the attempt has its latch, or it was sealed an epoch ago.
    /// </param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: all values are collected. <see cref="Outcome.OnDisk"/>: all that are in memory.
    /// <see cref="Outcome.NotFound"/>: the key has been deleted in the meantime. <see cref="Outcome.Retry"/>: another
    /// thread may still change an older one, or has the latch. <see cref="Outcome.Expired"/>: the whole value has just
    /// died. <see cref="Outcome.Large"/>: the whole value lies in fragments, which must be gathered.
    /// <see cref="Outcome.Below"/>: all values of this tier are collected; the tier below may have the whole one.
    /// <see cref="Outcome.CprShift"/>: one is of the next version.
    /// </returns>
    public Outcome CollectInMemory(bool isHeld)
    {
        RecordAllocator log = Attempt.Log;
        DeltaValues deltas = Attempt.Deltas;
        deltas.Clear();
        for (;;)
        {
            ulong header = Header;
            byte* value = RecordExpiry.Value(Record, header, Key.SlotSize, out long expiry);
            bool isNewest = deltas.Count == 0 && !(Probe.On && Probe.Has(SeededBug.HeldDeltaWithoutLatch));
            bool isSealed = (header & RecordHeader.Sealed) != 0 && !isNewest; // the seal of the newest may be lifted
            if (Address < log.SafeReadOnlyAddress || isSealed || isHeld)
            {
                if ((header & RecordHeader.Tombstone) != 0)
                    return deltas.Count == 0 ? Outcome.NotFound : Outcome.Ok;
                Outcome life = Attempt.Clock.Judge(expiry);
                if (life != Outcome.Ok) return life == Outcome.NotFound && deltas.Count != 0 ? Outcome.Ok : life;
                if (TOperation.ValueSize == 0 && (header & RecordHeader.Large) != 0)
                {
                    ReadOnlySpan<byte> head = LargeValues.HeadAt(value);
                    Outcome found = LargeValues.Find(Attempt, Disk, Address, head, out ReadOnlySpan<byte> whole);
                    if (found != Outcome.Ok) return found == Outcome.NotFound ? Outcome.Ok : found;
                    deltas.Add(whole);
                }
                else
                {
                    Probe.Point(ProbePoint.RecordUpdate);
                    AddShared(value); // for a reader, a sealed one may not be final yet
                }
            }
            else if (deltas.Count == 0)
            {
                Outcome copied = CopyNewest(value, ref header);
                if (copied != Outcome.Ok) return copied;
            }
            else
            {
                if (!(Probe.On && Probe.Has(SeededBug.ReconcileInFuzzyRegion))) return Outcome.Retry;
                if ((header & RecordHeader.Tombstone) != 0) return Outcome.Ok;
                Probe.Point(ProbePoint.RecordUpdate);
                AddShared(value);
            }

            if ((header & RecordHeader.Delta) == 0)
            {
                deltas.EndWithWhole(expiry);
                return Outcome.Ok;
            }

            isHeld = false;
            Outcome next = FindInLog(RecordHeader.Previous(header));
            if (next == Outcome.Ok) continue;
            bool ends = Attempt.Below is null || (Probe.On && Probe.Has(SeededBug.DeltasEndAtBegin));
            return next == Outcome.Below && ends ? Outcome.Ok : next;
        }
    }

    /// <summary>Collects what a walk on disk has found, behind the values in memory, and their base.</summary>
    /// <inheritdoc cref="AddBase(bool)"/>
    public Outcome CollectOnDisk(bool mayLag)
    {
        ChainReadResult disk = Disk!;
        DeltaValues deltas = Attempt.Deltas;
        if (IsBaseBelow())
        {
            deltas.Add(disk.Deltas);
            return AddBase(mayLag);
        }

        Outcome life = disk.Found ? Attempt.Clock.Judge(disk.Expiry) : Outcome.NotFound;
        if (life == Outcome.Expired) return life;
        if (life == Outcome.Ok && LargeValues.Lacks(Attempt, disk)) return Outcome.Large;
        deltas.Add(disk, life == Outcome.Ok);
        return Outcome.Ok;
    }

    /// <summary>
    /// Whether the deltas of a chain that was read from disk end without a whole value or tombstone in their own tier,
    /// or with a value that has moved to the tier below.
    /// </summary>
    public readonly bool IsBaseBelow()
    {
        if (Attempt.Below is null) return false;
        if (Disk!.End == 0) return true;
        return Disk is { Found: true, IsLarge: true }
            && LargeValues.Find(Attempt, Disk, Disk.Address, Disk.Value, out _) == Outcome.Below;
    }

    /// <summary>Adds the base, if there is one: all deltas of this tier are collected.</summary>
    /// <param name="mayLag">Seeded bug: a base that deltas have been merged with since will do.</param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: the deltas are complete, with a base or without; or what the attempt lacks, below if
    /// <see cref="Found"/> is.
    /// </returns>
    public Outcome AddBase(bool mayLag) => AddBase(FindBelow(mayLag));

    /// <summary>Adds a base, if it was found, and is alive.</summary>
    /// <inheritdoc cref="AddBase(bool)"/>
    public Outcome AddBase(Outcome found)
    {
        if (found == Outcome.Ok) found = Attempt.Clock.Judge(Found.Expiry);
        if (found == Outcome.Ok) found = FindWhole();
        if (found != Outcome.Ok) return found == Outcome.NotFound ? Outcome.Ok : found;
        Attempt.Deltas.Add(Found.Value);
        Attempt.Deltas.EndWithWhole(Found.Expiry);
        return found;
    }

    // Under the latch, so that it is not deleted and revived as a whole value between the reads of header and value.
    private readonly Outcome CopyNewest(byte* value, ref ulong header)
    {
        bool latches = !(Probe.On && Probe.Has(SeededBug.DeltaWithoutLatch));
        if (latches && !Attempt.TryLatch(Record, out header)) return Outcome.Retry;
        bool isTombstone = (header & RecordHeader.Tombstone) != 0;
        if (!isTombstone)
        {
            Probe.Point(ProbePoint.RecordUpdate);
            AddShared(value);
        }

        if (latches) Attempt.Unlatch(Record, header);
        return isTombstone ? Outcome.NotFound : Outcome.Ok;
    }

    private readonly void AddShared(byte* slot)
    {
        ReadOnlySpan<byte> value = RecordValue<TOperation>.At(slot, Attempt.Log.Layout);
        fixed (byte* bytes = value) Attempt.Deltas.AddShared(bytes, value.Length);
    }
}
