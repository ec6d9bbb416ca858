namespace Faster;

/// <summary>How a commit captures the part of the log that is only in memory (paper 004 §5.3).</summary>
public enum CommitKind
{
    /// <summary>
    /// Everything up to the tail becomes read-only and is flushed to the log itself. Each commit writes only what is
    /// new in the log, and recovery needs no other file; but hot records are copied to the tail after each commit.
    /// </summary>
    FoldOver,

    /// <summary>
    /// What is in memory only is written to a file of its own, and stays updatable in place: the log does not grow by
    /// commits, each of which writes all that is mutable.
    /// </summary>
    Snapshot,

    /// <summary>
    /// As <see cref="Snapshot"/>, but only the records that have changed since the last snapshot are written. The first
    /// one, and one now and then, is a whole snapshot.
    /// </summary>
    Incremental,
}
