using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Operations.Merging;

/// <summary>Reads keys whose values are merged from deltas (paper 000 §6.3).</summary>
/// <remarks>No state; runs on the calling session's thread, in its epoch. See docs/internals/merging.md.</remarks>
internal static unsafe class MergedRead<TOperation>
    where TOperation : struct, IReadOperation
{
    /// <summary>Reads a key whose newest record is a delta in memory.</summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="disk">What has been read from disk for the operation, or null.</param>
    /// <param name="record">The delta.</param>
    /// <param name="header">Its header.</param>
    /// <param name="address">Its address; on return, where the walk ended.</param>
    /// <returns>
    /// <see cref="Outcome.OnDisk"/>: the deltas in memory are collected, the others are on disk.
    /// <see cref="Outcome.Below"/>: all deltas are collected, and the tier below may have the whole value.
    /// </returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Outcome FromMemory<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
        byte* record, ulong header, ref long address)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (!TOperation.Merges) throw DeltaValues.NoMerger(address);
        Outcome end = Reconciler<TOperation>.Collect<TKey, TMode>(
            attempt, key, hash, disk, record, header, isHeld: false, ref address);
        if (end != Outcome.Ok) return end;
        operation.SingleRead(attempt.Deltas.Merge(ref operation));
        return Outcome.Ok;
    }

    /// <summary>Reads a key whose chain was read from disk.</summary>
    /// <remarks>
    /// If the chain still continues where it was read, the deltas now in memory belong to what was read; otherwise
    /// those that were in memory when the walk began do.
    /// </remarks>
    /// <param name="attempt">The attempt, which has collected the deltas in memory.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="disk">What has been read.</param>
    /// <param name="address">The address at which the chain now continues on disk.</param>
    /// <param name="isAlive">Whether a whole value was found that is alive.</param>
    public static Outcome FromDisk<TKey>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult disk,
        long address, bool isAlive)
        where TKey : struct, IKey, allows ref struct
    {
        if (isAlive && LargeValues.Lacks(attempt, disk)) return Outcome.Large;
        DeltaValues deltas = attempt.Deltas;
        bool isCurrent = disk.ChainStart == address;
        if (!isCurrent)
        {
            deltas.Clear();
            deltas.Add(disk.Newer);
        }

        if (BaseBelow.IsOf(attempt, disk))
        {
            deltas.Add(disk.Deltas);
            if (!isCurrent) attempt.TailBelow = disk.TailBelow;
            return FromBelow(attempt, key, hash, ref operation, disk, isCurrent);
        }

        bool isOnDisk = deltas.Count == 0;
        deltas.Add(disk, isAlive);
        if (deltas.Count == 0) return Outcome.NotFound;
        ReadOnlySpan<byte> value = Return(attempt, hash, ref operation);

        // A value in fragments ends when its lowest fragment is truncated, which may happen before its record is;
        // one that expires leaves its deltas behind.
        bool isLasting = !disk.IsLarge && disk.Expiry == RecordExpiry.Never;
        if (isCurrent && isOnDisk && isLasting) attempt.Cache.Add(key, hash, disk, value);
        return Outcome.Ok;
    }

    /// <summary>
    /// Begins an attempt at a read, before the key's entry is read, and ends it if the base of deltas that had been
    /// collected was read from the disk of the tier below.
    /// </summary>
    /// <remarks>
    /// Then the read takes effect at the time at which the deltas were collected. What was read was the base then if it
    /// lies below the tail as of that time. Otherwise all is searched again: the deltas may have been merged into it.
    /// </remarks>
    /// <param name="attempt">The attempt, which has collected nothing.</param>
    /// <param name="hash">The key's hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="disk">What has been read for the operation, or null.</param>
    /// <param name="outcome">How the attempt has ended, if it has.</param>
    /// <returns>Whether the attempt has ended.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static bool TryEnd(
        Attempt attempt, ulong hash, ref TOperation operation, ChainReadResult? disk, out Outcome outcome)
    {
        outcome = Outcome.Ok;
        attempt.Deltas.Clear();
        if (attempt.Below is null) return false;
        attempt.TailBelow = attempt.Below.Log.TailAddress;
        Probe.Point(ProbePoint.RegionMarker);
        if (disk?.Below is not { ChainStart: not 0, Newer.Count: not 0 } read) return false;
        Outcome found = SearchBelow.Take(read, isCurrent: false, out RecordBelow record);
        if (!IsAsOf(attempt, read.TailBelow, record))
        {
            disk.Clear();
            return false;
        }

        attempt.Deltas.Add(read.Newer);
        if (found == Outcome.Ok)
        {
            outcome = BaseBelow.Add(attempt, disk, record);
            if (outcome != Outcome.Ok) return true;
            if (!attempt.Deltas.HasWhole)
            {
                // It may have been alive when they were collected: only those of now count without it.
                attempt.Deltas.Clear();
                return false;
            }
        }

        _ = Return(attempt, hash, ref operation);
        return true;
    }

    /// <summary>Reads a key whose deltas are collected, and whose whole value the tier below may have.</summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="disk">What has been read for the operation, or null.</param>
    /// <param name="isCurrent">Whether the deltas are those of now; otherwise of the time of its TailBelow.</param>
    public static Outcome FromBelow<TKey>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
        bool isCurrent)
        where TKey : struct, IKey, allows ref struct
    {
        Outcome added = BaseBelow.Add<TKey, TOperation>(attempt, key, hash, disk, mayLag: false, out RecordBelow found);
        if (added != Outcome.Ok) return added;
        bool hasDied = found.Expiry != RecordExpiry.Never && !attempt.Deltas.HasWhole;
        if (!IsAsOf(attempt, attempt.TailBelow, found) || (hasDied && !isCurrent))
        {
            disk?.Clear();
            return Outcome.Retry;
        }

        if (attempt.Deltas.Count == 0) return Outcome.NotFound;
        _ = Return(attempt, hash, ref operation);
        return Outcome.Ok;
    }

    // Whether what was found below, or nothing, was there when the tail was read already. A tombstone that was
    // appended since has gone only with all that lay below it.
    private static bool IsAsOf(Attempt attempt, long tail, scoped in RecordBelow found)
    {
        if (Probe.On && Probe.Has(SeededBug.MergedReadIgnoresMoves)) return true;
        return found.Address != 0 ? found.Address < tail : attempt.Below!.Log.BeginAddress <= tail;
    }

    private static ReadOnlySpan<byte> Return(Attempt attempt, ulong hash, ref TOperation operation)
    {
        DeltaValues deltas = attempt.Deltas;
        if (deltas.Deltas > CollapseHints.Bound) attempt.Merges.Mark(hash);
        ReadOnlySpan<byte> value = deltas.Merge(ref operation);
        operation.SingleRead(value);
        return value;
    }
}
