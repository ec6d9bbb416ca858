using Faster.Contracts;

namespace Faster;

/// <summary>
/// One of the four operations as a protocol over index and log; the session runs it (paper 000 App. G).
/// </summary>
/// <remarks>
/// Implementations are empty structs: the session's code is specialised for each, and nothing is virtual.
/// </remarks>
internal interface IProtocol<TProbe, TOperation>
    where TProbe : struct, IProbe
    where TOperation : struct, IOperation
{
    /// <summary>
    /// One attempt, under the session's epoch. Leaves nothing latched, linked by half or owned behind.
    /// </summary>
    /// <param name="attempt">What the attempt holds, under its session's epoch.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="disk">What has been read from disk for this operation, or null.</param>
    static abstract Outcome TryUnderEpoch<TKey, TMode>(
        Attempt<TProbe> attempt, scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode;

    /// <summary>
    /// The attempt that mostly suffices, at rest: the key's record is the newest of its chain, in memory, and is read
    /// or updated where it lies.
    /// </summary>
    /// <param name="attempt">What the attempt holds, under its session's epoch.</param>
    /// <param name="key">The key.</param>
    /// <param name="word">What <see cref="QuietIndex{TProbe}.FindFirst"/> has given under the same epoch.</param>
    /// <param name="operation">The operation.</param>
    /// <returns>Whether it is done; if not, nothing has been done, and <see cref="TryUnderEpoch"/> decides.</returns>
    static abstract bool TryHit<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong word, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct;

    /// <summary>
    /// The attempt that mostly suffices at rest once records may expire: as <see cref="TryHit"/>, which has failed.
    /// </summary>
    /// <inheritdoc cref="TryHit"/>
    static virtual bool TryHitExpiring<TKey>(
        Attempt<TProbe> attempt, scoped TKey key, ulong word, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => false;

    /// <summary>Whether the operation changes records.</summary>
    static abstract bool Mutates { get; }
}
