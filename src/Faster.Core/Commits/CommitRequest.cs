namespace Faster.Commits;

/// <summary>A commit that somebody, or several, have asked for. Owned by the coordinator, under its lock.</summary>
internal sealed class CommitRequest(CommitKind? kind)
{
    /// <summary>How the log is to be captured; null when only a checkpoint of the index is wanted.</summary>
    public CommitKind? Kind { get; } = kind;

    /// <summary>Whether a new checkpoint of the index is to belong to it.</summary>
    public bool WithIndex { get; set; }

    /// <summary>Tells those who asked.</summary>
    public TaskCompletionSource<Commit?> Source { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
}
