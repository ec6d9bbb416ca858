namespace Faster.Workload.Experiments;

/// <summary>How a commit captures the log, under names that every engine shares.</summary>
internal enum CommitForm
{
    /// <summary>The log up to its tail becomes read-only and is flushed.</summary>
    FoldOver,

    /// <summary>What is in memory only goes to a file of its own.</summary>
    Snapshot,

    /// <summary>As a snapshot, but only what has changed since the last one.</summary>
    Incremental,
}
