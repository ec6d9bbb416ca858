using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Expiry;
using Faster.Operations;

namespace Faster.LogSessions;

/// <summary>
/// What an operation that is no plain hit in the first bucket tries in the same quiet epoch, before its algorithm
/// searches: alone and in a batch (docs/internals/hit-path.md).
/// </summary>
/// <remarks>
/// No state; runs on the calling session's thread, in its quiet epoch, under a guard if the user's functions may run,
/// or the provider of the time. What fails has changed nothing.
/// </remarks>
internal static unsafe class SecondLook
{
    /// <summary>Tries a hit on a record of a store in which some expire.</summary>
    /// <param name="attempt">What the attempt holds.</param>
    /// <param name="view">The session's view in its quiet epoch.</param>
    /// <param name="key">The key.</param>
    /// <param name="record">The record that was found for it.</param>
    /// <param name="address">Its address.</param>
    /// <param name="unlatched">Whether it is tried without the latch, too. A constant.</param>
    /// <param name="operation">The operation.</param>
    /// <returns>Whether it is done.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryExpiring<TAlgorithm, TKey, TOperation>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address, bool unlatched,
        ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        RecentTime* time = view->Time;
        if (unlatched && time->IsRecent && TAlgorithm.TryHitUnlatched(view, time, key, record, ref operation))
            return true;
        return TAlgorithm.TryHitExpiring(attempt, view, key, record, address, ref operation);
    }

    /// <summary>
    /// Tries a hit in the second bucket of the key's chain. Then a read of a key without an entry is done, unless a
    /// tier below may know it; and a blind update links its record in front of what the entry leads to, if that is not
    /// updated in place.
    /// </summary>
    /// <remarks>
    /// A load would teach tiered compilation that nothing is ever linked: what it learns first, it keeps.
    /// </remarks>
    /// <param name="attempt">What the attempt holds.</param>
    /// <param name="view">The session's view in its quiet epoch.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="status">Its status, if it is done.</param>
    /// <returns>Whether it is done.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    public static bool TryChain<TAlgorithm, TKey, TOperation>(
        Attempt attempt, QuietView* view, scoped TKey key, ulong hash, ref TOperation operation, out Status status)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        status = Status.Ok;
        if (TAlgorithm.Mutates ? view->UpdateQuiet == 0 : view->WithholdsReads(TOperation.RunsUserCode)) return false;
        if (view->TryFindNext(hash, TAlgorithm.Mutates, out byte* record, out long address)
            && TAlgorithm.TryHit(attempt, view, key, record, address, ref operation)) return true;
        if (TAlgorithm.Mutates) return TAlgorithm.TryLink(attempt, view, key, hash, ref operation);
        status = Status.NotFound;
        return attempt.Below is null && view->IsAbsent(hash);
    }
}
