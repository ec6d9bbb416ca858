using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.Store.Commits;
using Faster.Store.Large;
using Faster.Store.Operations;
using Faster.Store.Pending;

namespace Faster.Store.Merging;

/// <summary>Reads keys whose values are merged from deltas (paper 000 §6.3).</summary>
/// <remarks>No state; runs on the calling session's thread, in its epoch. See docs/internals/merging.md.</remarks>
internal static unsafe class MergedRead<TProbe, TOperation>
    where TProbe : struct, IProbe
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
    /// </returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Outcome FromMemory<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk,
        byte* record, ulong header, ref long address)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        if (!TOperation.Merges) throw DeltaValues.NoMerger(address);
        Outcome end = Reconciler<TProbe, TOperation>.Collect<TKey, TMode>(
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
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult disk,
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

        bool isOnDisk = deltas.Count == 0;
        deltas.Add(disk, isAlive);
        if (deltas.Count == 0) return Outcome.NotFound;
        if (deltas.Deltas > CollapseHints.Bound) attempt.Merges.Mark(hash);
        ReadOnlySpan<byte> value = deltas.Merge(ref operation);
        operation.SingleRead(value);

        // A value in fragments ends when its lowest fragment is truncated, which may happen before its record is;
        // one that expires leaves its deltas behind.
        bool isLasting = !disk.IsLarge && disk.Expiry == RecordExpiry.Never;
        if (isCurrent && isOnDisk && isLasting) attempt.Cache.Add(key, hash, disk, value);
        return Outcome.Ok;
    }
}
