namespace Faster.Log.Records;

/// <summary>
/// Splits a hash chain when the index doubles, and joins two when it is halved: the log's part of a resize (paper 000,
/// App. B).
/// </summary>
/// <remarks>
/// <para>Both members are called under an epoch. Meanwhile no other thread enters, extends or cuts the chains, but
/// their records may still be flushed.</para>
/// <para>They run within some operation, so they must not wait, and must not call the index. They should not throw; one
/// that does must have changed nothing: the exception surfaces on that operation, and the chains are split or joined
/// again later.</para>
/// </remarks>
internal interface IChainResizer
{
    /// <summary>Determines the heads of the two chains that replace one.</summary>
    /// <param name="head">The chain address of the chain's newest record.</param>
    /// <param name="rule">Maps a record's hash to its side.</param>
    /// <param name="left">The head of the left bucket's chain, 0 for none.</param>
    /// <param name="right">
    /// The head of the right bucket's chain, 0 for none; may equal <paramref name="left"/>, as when the rest of the
    /// chain is on disk and stays shared.
    /// </param>
    void Split(long head, in SplitRule rule, out long left, out long right);

    /// <summary>
    /// Determines the head of the chain that replaces those of two adjacent buckets; one of them may be missing, not
    /// both.
    /// </summary>
    /// <param name="left">The chain address of the newest record of bucket 2b's chain, or 0.</param>
    /// <param name="right">The chain address of the newest record of bucket 2b + 1's chain, or 0.</param>
    /// <param name="hash">A hash of bucket b of the halved index, and of the tag of both chains.</param>
    /// <param name="largerBucketCount">The number of buckets before the resize.</param>
    /// <param name="head">The head of the joined chain, 0 for none: its records are all dead.</param>
    /// <returns>
    /// False, and nothing has changed: the allocator has no space. The caller leaves its epoch, waits for space, and
    /// retries.
    /// </returns>
    bool TryJoin(long left, long right, ulong hash, long largerBucketCount, out long head);
}
