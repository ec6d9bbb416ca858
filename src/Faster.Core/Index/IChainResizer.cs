namespace Faster.Index;

/// <summary>
/// Parts a chain of records in two when the index doubles, and joins two when it is halved: the log's share in a resize
/// (paper 000, App. B).
/// </summary>
/// <remarks>
/// Both are called under an epoch, and nobody else enters, extends or cuts the chains meanwhile, though records of them
/// may still be flushed. They run within some operation, so they must not wait, and must not call the index. They
/// should not throw; if one does, it must have changed nothing: the exception surfaces on that operation, and the
/// chains are parted or joined again later.
/// </remarks>
internal interface IChainResizer
{
    /// <summary>Says where the two chains begin that take over from one.</summary>
    /// <param name="head">The chain address of the chain's newest record.</param>
    /// <param name="rule">Tells by a record's hash which side it belongs to.</param>
    /// <param name="left">The head of the left bucket's chain, 0 for none.</param>
    /// <param name="right">The head of the right bucket's chain, 0 for none; may equal <paramref name="left"/>, as when
    /// the rest of the chain is on disk and stays shared.</param>
    void Split(long head, in SplitRule rule, out long left, out long right);

    /// <summary>
    /// Says where the chain begins that takes over from those of two neighbours; either may be missing, not both.
    /// </summary>
    /// <param name="left">The chain address of the newest record of bucket 2b's chain, or 0.</param>
    /// <param name="right">That of bucket 2b + 1's, or 0.</param>
    /// <param name="hash">A hash of bucket b of the halved index, and of the tag of both chains.</param>
    /// <param name="largerBucketCount">The number of buckets until now.</param>
    /// <param name="head">The head of the one chain, 0 for none: its records are all dead.</param>
    /// <returns>
    /// False, and nothing has changed: the allocator has no room. The caller leaves its epoch, waits for room, and
    /// tries again.
    /// </returns>
    bool TryMerge(long left, long right, ulong hash, long largerBucketCount, out long head);
}
