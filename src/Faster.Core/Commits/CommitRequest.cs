namespace Faster.Commits;

/// <summary>
/// A requested commit, shared by all callers that wait for it. Owned by the coordinator, under its lock.
/// </summary>
internal sealed class CommitRequest(CommitKind? kind)
{
    /// <summary>How to capture the log; null when only a checkpoint of the index is requested.</summary>
    public CommitKind? Kind { get; } = kind;

    /// <summary>Whether the commit must have a new checkpoint of the index.</summary>
    public bool WithIndex { get; set; }

    /// <summary>Completes the callers' task.</summary>
    public TaskCompletionSource<Commit?> Source { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
}
