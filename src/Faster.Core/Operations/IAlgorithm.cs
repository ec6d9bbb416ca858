using Faster.Contracts;
using Faster.Expiry;

namespace Faster.Operations;

/// <summary>
/// The algorithm of one operation over index and log; the session runs it (paper 000 App. G).
/// </summary>
/// <remarks>
/// Implementations are empty structs: the JIT specializes the session's code for each, and no call is virtual.
/// </remarks>
internal interface IAlgorithm<TOperation>
    where TOperation : struct, IOperation
{
    /// <summary>
    /// One attempt, under the session's epoch. Leaves nothing latched, half linked, or reserved.
    /// </summary>
    /// <param name="attempt">What the attempt holds, under its session's epoch.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="disk">The result of the walk on disk for this operation, or null.</param>
    static abstract Outcome TryUnderEpoch<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode;

    /// <summary>
    /// The attempt of a hit: the key's record is the newest of its chain, in memory, and is read or updated
    /// where it lies.
    /// </summary>
    /// <param name="attempt">What the attempt holds, under its session's epoch.</param>
    /// <param name="view">The session's view in its quiet epoch.</param>
    /// <param name="key">The key.</param>
    /// <param name="record">
    /// The record that <see cref="QuietView.TryFind"/> has found under the same epoch, for an update if this is one.
    /// </param>
    /// <param name="address">Its address.</param>
    /// <param name="operation">The operation.</param>
    /// <returns>
    /// Whether the operation is done; if not, nothing has changed, and <see cref="TryUnderEpoch"/> decides.
    /// </returns>
    static abstract unsafe bool TryHit<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct;

    /// <summary>
    /// The attempt of a hit on a record that expires, without its latch: its value is a word, it is alive by the
    /// store's time, which must be recent, and its expiry need not change.
    /// </summary>
    /// <inheritdoc cref="TryHit"/>
    static virtual unsafe bool TryHitUnlatched<TKey>(
        QuietView* view, RecentTime* time, scoped TKey key, byte* record, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => false;

    /// <summary>
    /// The attempt of a hit in a store whose records may expire. It decides the favorable case only: the record is
    /// alive, not latched, and need not be copied.
    /// </summary>
    /// <param name="attempt">What the attempt holds, under its session's epoch.</param>
    /// <param name="view">The session's view in its quiet epoch.</param>
    /// <param name="key">The key.</param>
    /// <param name="record">As for <see cref="TryHit"/>.</param>
    /// <param name="address">Its address.</param>
    /// <param name="operation">The operation.</param>
    /// <returns>As <see cref="TryHit"/>.</returns>
    static virtual unsafe bool TryHitExpiring<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => false;

    /// <summary>
    /// The attempt to link a record in front of one that is not updated in place, without reading that one, in a quiet
    /// epoch.
    /// </summary>
    /// <param name="attempt">What the attempt holds, under its session's epoch.</param>
    /// <param name="view">The session's view in its quiet epoch.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <returns>
    /// Whether the operation is done; if not, nothing has changed, and <see cref="TryUnderEpoch"/> decides.
    /// </returns>
    static virtual unsafe bool TryLink<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, ulong hash, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => false;

    /// <summary>Whether the operation changes records.</summary>
    static abstract bool Mutates { get; }

    /// <summary>
    /// Whether the operation changes what keys have, so that it is journaled where each operation is durable: a user's
    /// update, and no copy that the store makes of a record.
    /// </summary>
    static virtual bool IsJournaled => false;
}
