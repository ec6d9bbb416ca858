namespace Faster.Index;

/// <summary>
/// Parts a chain of records in two when the index doubles: the log's share in growth (paper 000, App. B).
/// </summary>
internal interface IChainSplitter
{
    /// <summary>
    /// Says where the two chains begin that take over from one. Called under an epoch; nobody else enters, extends or
    /// cuts the chain meanwhile, though records of it may still be flushed.
    /// </summary>
    /// <remarks>
    /// Runs within some operation, so it must not wait, and must not call the index. It should not throw; if it
    /// does, it must have changed nothing: the exception surfaces on that operation, and the chain is split again
    /// later.
    /// </remarks>
    /// <param name="head">The chain address of the chain's newest record.</param>
    /// <param name="rule">Tells by a record's hash which side it belongs to.</param>
    /// <param name="left">The head of the left bucket's chain, 0 for none.</param>
    /// <param name="right">The head of the right bucket's chain, 0 for none; may equal <paramref name="left"/>, as when
    /// the rest of the chain is on disk and stays shared.</param>
    void Split(long head, in SplitRule rule, out long left, out long right);
}
