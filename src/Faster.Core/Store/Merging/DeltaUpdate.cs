using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// How a read-modify-write of a mergeable class makes its value: a partial one, of its input alone, where the old value
/// is not at hand (paper 000 §6.3, Table 2), or a whole one from all the parts that the key has.
/// </summary>
/// <remarks>No state; the calling session's thread, in its epoch. docs/MERGING.md.</remarks>
internal static unsafe class DeltaUpdate<TProbe, TOperation>
    where TProbe : struct, IProbe
    where TOperation : struct, IRmwOperation
{
    /// <summary>Makes a partial value of the input alone, to be linked in front of whatever the key has.</summary>
    public static Outcome Begin(Attempt<TProbe> attempt, ref TOperation operation, ref UpdateDraft draft)
    {
        attempt.Large.Drop(); // made of another basis; a partial value fits into a page
        operation.InitialUpdate(attempt.Buffer);
        draft.Flags = RecordHeader.Delta;
        return Outcome.Ok;
    }

    /// <summary>
    /// Takes the latch of a partial record of the version being committed, so that it is sealed when another is linked
    /// in front of it: readers need not wait until its page is read-only.
    /// </summary>
    public static bool TryHold<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ref ChainPosition at, in ChainPosition delta)
        where TKey : struct, IKey, allows ref struct
    {
        if (!attempt.TryLatch(delta.Record, out at.Header)) return false;
        at.Record = delta.Record;
        at.Address = delta.Address;
        at.Value = delta.Record + RecordHeader.Size + key.SlotSize;
        return at.IsDelta && (at.Header & RecordHeader.Sealed) == 0;
    }

    /// <summary>
    /// Makes the new value from a partial record that nobody changes: a whole one, if all parts are in memory or have
    /// been read; else another partial one, until there are too many of them.
    /// </summary>
    /// <remarks>A copy of the record would count twice: it does not take the record's place.</remarks>
    public static Outcome Make<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, in ChainPosition delta,
        DiskRecord? disk, ref UpdateDraft draft)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (TProbe.Has(SeededBug.DeltaCopied))
        {
            byte* slot = delta.Record + RecordHeader.Size + key.SlotSize;
            operation.CopyUpdate(new ValueSlot(slot, TOperation.ValueSize).Bytes, attempt.Buffer);
            draft.Flags = RecordHeader.Delta;
            return Outcome.Ok;
        }

        long address = delta.Address;
        Outcome end = Reconciler<TProbe, TOperation>.Collect<TKey, TMode>(
            attempt, key, hash, disk, delta.Record, delta.Header, isHeld: true, ref address);
        if (end == Outcome.Retry) return Begin(attempt, ref operation, ref draft);
        if (end == Outcome.Ok) return Collapse(attempt, key.SlotSize, ref operation, disk: null, ref draft);
        if (end != Outcome.OnDisk) return end;
        if (disk is not null && disk.ChainStart == address)
        {
            attempt.Cache.OnMiss(disk);
            return Collapse(attempt, key.SlotSize, ref operation, disk, ref draft);
        }

        bool isTooLong = attempt.Partials.Deltas >= MergeLedger.Bound || attempt.Merges.IsMarked(hash);
        if (!isTooLong || disk is not null) return Begin(attempt, ref operation, ref draft);
        attempt.Wanted = address;
        return Outcome.OnDisk;
    }

    /// <summary>Makes a whole value from all the parts.</summary>
    public static Outcome Collapse(
        Attempt<TProbe> attempt, int keySlot, ref TOperation operation, DiskRecord? disk, ref UpdateDraft draft)
    {
        if (!TOperation.Merges) throw PartialValues.NoMerger(disk!.Address);
        Outcome life = disk is { Found: true } ? attempt.Clock.Judge(disk.Expiry) : Outcome.NotFound;
        if (life == Outcome.Expired) return life;
        if (life == Outcome.Ok && LargeValues.Lacks(attempt, disk!)) return Outcome.Large;
        PartialValues partials = attempt.Partials;
        if (disk is not null) partials.Add(disk, life == Outcome.Ok);
        if (partials.MayLoseWhole)
        {
            partials.MergeWithoutWhole(ref operation);
            draft.MergedUntil(partials.WholeExpiry);
        }

        LargeValues.Update(attempt, keySlot, ref operation, true, partials.Merge(ref operation));
        if (TOperation.ValueSize != 0 || !partials.MayLoseWhole) return Outcome.Ok;
        bool isOversized = LargeValues.IsOversized(attempt, keySlot, partials.WithoutWhole.Length);
        if (attempt.Large.Prepared is { } prepared)
        {
            prepared.PrepareWithout(isOversized ? partials.WithoutWhole : default);
        }
        else if (isOversized)
        {
            // With the old value it is shorter than without: rare, and a part more does as well.
            draft.Forget();
            attempt.Buffer.Clear();
            return Begin(attempt, ref operation, ref draft);
        }

        return Outcome.Ok;
    }
}
