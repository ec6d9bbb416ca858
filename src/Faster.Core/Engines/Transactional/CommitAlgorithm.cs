namespace Faster;

/// <summary>How a commit of a transactional store decides which transactions it holds.</summary>
public enum CommitAlgorithm
{
    /// <summary>
    /// Concurrent prefix recovery (paper 004 §4.1): each session has a commit point of its own, and transactions share
    /// nothing.
    /// </summary>
    Cpr,

    /// <summary>
    /// An atomic commit log, as in CALC: each transaction, also one that only reads, takes its place in one order of
    /// all, of which a commit holds a prefix. It costs an update of one word that all sessions share, and locks for
    /// reads. For comparison, and for applications that need that order.
    /// </summary>
    Calc,
}
