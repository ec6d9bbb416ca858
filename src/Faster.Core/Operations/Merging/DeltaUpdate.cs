using Faster.Chains;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Operations.Merging;

/// <summary>
/// How a read-modify-write of a mergeable class makes its value: a delta, from its input alone, where the old value is
/// not in memory (paper 000 §6.3, Table 2), or a whole value from all that the key has.
/// </summary>
/// <remarks>No state; runs on the calling session's thread, in its epoch. See docs/internals/merging.md.</remarks>
internal static unsafe class DeltaUpdate<TOperation>
    where TOperation : struct, IRmwOperation
{
    /// <summary>Makes a delta from the input alone, which is linked in front of whatever the key has.</summary>
    public static Outcome Begin(Attempt attempt, ref TOperation operation, ref UpdateDetails result)
    {
        attempt.Large.Drop(); // made from another basis; a delta fits into a page
        operation.InitialUpdate(attempt.Buffer);
        result.Flags = RecordHeader.Delta;
        return Outcome.Ok;
    }

    /// <summary>
    /// Takes the latch of a delta of the version being committed, so that it is sealed when another one is linked in
    /// front of it: readers need not wait until its page is read-only.
    /// </summary>
    public static bool TryHold<TKey>(
        Attempt attempt, scoped TKey key, ref ChainPosition at, in ChainPosition delta)
        where TKey : struct, IKey, allows ref struct
    {
        if (!attempt.TryLatch(delta.Record, out at.Header)) return false;
        at.Record = delta.Record;
        at.Address = delta.Address;
        at.Value = delta.Record + RecordHeader.Size + key.SlotSize;
        return at.IsDelta && (at.Header & RecordHeader.Sealed) == 0;
    }

    /// <summary>
    /// Makes the new value in front of an immutable delta: a whole one, if all values are in memory or have been read;
    /// otherwise another delta, until there are too many of them.
    /// </summary>
    /// <remarks>A copy of the delta would count twice: the new record does not replace it.</remarks>
    public static Outcome Make<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, in ChainPosition delta,
        ChainReadResult? disk, ref UpdateDetails result)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (Probe.On && Probe.Has(SeededBug.DeltaCopied))
        {
            byte* slot = delta.Record + RecordHeader.Size + key.SlotSize;
            operation.CopyUpdate(RecordValue<TOperation>.At(slot), attempt.Buffer);
            result.Flags = RecordHeader.Delta;
            return Outcome.Ok;
        }

        long address = delta.Address;
        Outcome end = Reconciler<TOperation>.Collect<TKey, TMode>(
            attempt, key, hash, disk, delta.Record, delta.Header, isHeld: true, ref address);
        if (end == Outcome.Retry) return Begin(attempt, ref operation, ref result);
        if (end == Outcome.Ok) return Collapse(attempt, key.SlotSize, ref operation, ref result);
        if (end == Outcome.Below) return CollapseFromBelow(attempt, key, hash, ref operation, disk, ref result);
        if (end != Outcome.OnDisk) return end;
        if (disk is not null && disk.ChainStart == address)
        {
            attempt.Cache.OnMiss(disk);
            return Collapse(attempt, key, hash, ref operation, disk, ref result);
        }

        bool isTooLong = attempt.Deltas.Deltas >= CollapseHints.Bound || attempt.Merges.MustCollapse(hash);
        if (!isTooLong || disk is not null) return Begin(attempt, ref operation, ref result);
        attempt.Wanted = address;
        return Outcome.OnDisk;
    }

    /// <summary>Makes a whole value from all values of the key: those in memory are collected.</summary>
    public static Outcome Collapse<TKey>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult disk,
        ref UpdateDetails result)
        where TKey : struct, IKey, allows ref struct
    {
        if (!TOperation.Merges) throw DeltaValues.NoMerger(disk.Address);
        if (BaseBelow.IsOf(attempt, disk))
        {
            attempt.Deltas.Add(disk.Deltas);
            return CollapseFromBelow(attempt, key, hash, ref operation, disk, ref result);
        }

        Outcome life = disk.Found ? attempt.Clock.Judge(disk.Expiry) : Outcome.NotFound;
        if (life == Outcome.Expired) return life;
        if (life == Outcome.Ok && LargeValues.Lacks(attempt, disk)) return Outcome.Large;
        attempt.Deltas.Add(disk, life == Outcome.Ok);
        return Collapse(attempt, key.SlotSize, ref operation, ref result);
    }

    // The base of the deltas, all of which are collected, is below. A delta serves as well if there are few of them, or
    // if the base has changed since it was read.
    private static Outcome CollapseFromBelow<TKey>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
        ref UpdateDetails result)
        where TKey : struct, IKey, allows ref struct
    {
        bool mayLag = Probe.On && Probe.Has(SeededBug.UpdateIgnoresTruncation);
        Outcome added = BaseBelow.Add<TKey, TOperation>(attempt, key, hash, disk, mayLag, out _);
        if (added == Outcome.Ok) return Collapse(attempt, key.SlotSize, ref operation, ref result);
        if (added is not (Outcome.OnDisk or Outcome.EntryOnDisk or Outcome.Large)) return added;
        bool isTooLong = attempt.Deltas.Deltas >= CollapseHints.Bound || attempt.Merges.MustCollapse(hash);
        bool hasChanged = added == Outcome.OnDisk && disk?.Below is { ChainStart: not 0 };
        return isTooLong && !hasChanged ? added : Begin(attempt, ref operation, ref result);
    }

    private static Outcome Collapse(Attempt attempt, int keySlot, ref TOperation operation, ref UpdateDetails result)
    {
        DeltaValues deltas = attempt.Deltas;
        if (deltas.MayLoseWhole)
        {
            deltas.MergeWithoutWhole(ref operation);
            result.MergedUntil(deltas.WholeExpiry);
        }

        _ = CopyUpdate.Run(attempt, keySlot, ref operation, true, deltas.Merge(ref operation));
        if (TOperation.ValueSize != 0 || !deltas.MayLoseWhole) return Outcome.Ok;
        bool isOversized = LargeValues.IsOversized(attempt, keySlot, deltas.WithoutWhole.Length);
        if (attempt.Large.Prepared is { } prepared)
        {
            prepared.PrepareWithout(isOversized ? deltas.WithoutWhole : default);
        }
        else if (isOversized)
        {
            // With the old value it is shorter than without: rare, and one more delta serves as well.
            result.Forget();
            attempt.Buffer.Clear();
            return Begin(attempt, ref operation, ref result);
        }

        return Outcome.Ok;
    }
}
