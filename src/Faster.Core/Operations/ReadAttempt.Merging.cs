using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Operations;

/// <remarks>Values that are merged from deltas (paper 000 §6.3): docs/internals/merging.md.</remarks>
internal ref partial struct ReadAttempt<TKey, TMode, TEntries, TOperation>
{
    // The newest record is a delta in memory.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Outcome FromDeltas()
    {
        if (!TOperation.Merges) throw DeltaValues.NoMerger(_search.Address);
        Outcome end = _search.CollectInMemory(isHeld: false);
        if (end == Outcome.OnDisk) return FromDisk();
        if (end == Outcome.Below) end = _search.AddBase(mayLag: false);
        return end == Outcome.Ok ? Merge(out _) : end;
    }

    // If the chain still continues where it was read, the deltas now in memory belong to what was read; otherwise those
    // that were in memory when the walk began do.
    private Outcome MergedFromDisk(bool isAlive)
    {
        Attempt attempt = _search.Attempt;
        ChainReadResult disk = _search.Disk!;
        if (isAlive && LargeValues.Lacks(attempt, disk)) return Outcome.Large;
        DeltaValues deltas = attempt.Deltas;
        if (_search.IsOld)
        {
            deltas.Clear();
            deltas.Add(disk.Newer);
            attempt.TailBelow = disk.TailBelow;
        }

        // A value in fragments ends when its lowest fragment is truncated, which may happen before its record is;
        // one that expires leaves its deltas behind.
        ReadOnlySpan<byte> value = default;
        bool isLasting = deltas.Count == 0 && !disk.IsLarge && disk.Expiry == RecordExpiry.Never;
        Outcome end = _search.CollectOnDisk(mayLag: false);
        if (end == Outcome.Ok) end = Merge(out value);
        bool mayCache = end == Outcome.Ok && isLasting && !_search.IsOld && !_search.Found.IsBelow;
        if (mayCache) attempt.Cache.Add(_search.Key, _search.Hash, disk, value);
        return end;
    }

    // Begins an attempt, before the key's entry is read, and ends it if the base of deltas that had been collected was
    // read from the disk of the tier below. Then the read takes effect at the time at which the deltas were collected.
    // What was read was the base then if it lies below the tail as of that time. Otherwise all is searched again: the
    // deltas may have been merged into it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryEnd(out Outcome outcome)
    {
        outcome = Outcome.Ok;
        Attempt attempt = _search.Attempt;
        attempt.Deltas.Clear();
        if (attempt.Below is null) return false;
        attempt.TailBelow = attempt.Below.Log.TailAddress;
        Probe.Point(ProbePoint.RegionMarker);
        if (_search.Disk?.Below is not { ChainStart: not 0, Newer.Count: not 0 } read) return false;
        Outcome found = _search.TakeBelow(read, isCurrent: false);
        if (!IsAsOf(read.TailBelow))
        {
            _search.Disk.Clear();
            return false;
        }

        attempt.Deltas.Add(read.Newer);
        outcome = _search.AddBase(found);
        if (outcome != Outcome.Ok) return true;
        if (found == Outcome.Ok && !attempt.Deltas.HasWhole)
        {
            // It may have been alive when they were collected: only those of now count without it.
            attempt.Deltas.Clear();
            return false;
        }

        Return();
        return true;
    }

    // All values are collected. If they are those of an earlier time, it is that of the attempt's TailBelow.
    private readonly Outcome Merge(out ReadOnlySpan<byte> value)
    {
        value = default;
        DeltaValues deltas = _search.Attempt.Deltas;
        bool hasDied = _search.Found.Expiry != RecordExpiry.Never && !deltas.HasWhole;
        if (_search.Found.IsBelow && (!IsAsOf(_search.Attempt.TailBelow) || (hasDied && _search.IsOld)))
        {
            _search.Disk?.Clear();
            return Outcome.Retry;
        }

        if (deltas.Count == 0) return Outcome.NotFound;
        value = Return();
        return Outcome.Ok;
    }

    // Whether what was found below, or nothing, was there when the tail was read already. A tombstone that was
    // appended since has gone only with all that lay below it.
    private readonly bool IsAsOf(long tail)
    {
        if (Probe.On && Probe.Has(SeededBug.MergedReadIgnoresMoves)) return true;
        return _search.Found.Address != 0
            ? _search.Found.Address < tail
            : _search.Attempt.Below!.Log.BeginAddress <= tail;
    }

    private readonly ReadOnlySpan<byte> Return()
    {
        Attempt attempt = _search.Attempt;
        if (attempt.Deltas.Deltas > CollapseHints.Bound) attempt.Merges.Mark(_search.Hash);
        ReadOnlySpan<byte> value = attempt.Deltas.Merge(ref _search.Operation);
        _search.Operation.SingleRead(value);
        return value;
    }
}
