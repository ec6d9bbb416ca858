namespace Faster;

/// <summary>Specifies how a commit captures the part of the log that is only in memory (paper 004 §5.3).</summary>
public enum CommitKind
{
    /// <summary>
    /// Shifts the read-only region to the tail and flushes it to the log itself. Each commit writes only what is new in
    /// the log, and recovery needs no other file; but updates copy hot records to the tail after each commit.
    /// </summary>
    FoldOver,

    /// <summary>
    /// Writes the part that is only in memory to a separate file and keeps it updatable in place. Commits do not make
    /// the log grow, but each one writes the whole mutable region.
    /// </summary>
    Snapshot,

    /// <summary>
    /// As <see cref="Snapshot"/>, but writes only the records that have changed since the last snapshot. The first one,
    /// and one from time to time, is a whole snapshot.
    /// </summary>
    Incremental,
}
