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

    /// <summary>Whether the operation changes records.</summary>
    static abstract bool Mutates { get; }
}
