namespace Faster;

/// <summary>A commit that has become durable.</summary>
public sealed record Commit
{
    /// <summary>The version of the store that was committed; grows by one with each commit.</summary>
    public required long Version { get; init; }

    /// <summary>How it captured the log; what was asked for, or a fuller kind when that was due.</summary>
    public required CommitKind Kind { get; init; }

    /// <summary>Whether a checkpoint of the index belongs to it that no earlier commit had.</summary>
    public required bool HasNewIndex { get; init; }

    /// <summary>The point of each session: of every open one, and of every named one that is not forgotten.</summary>
    public required IReadOnlyList<CommitPoint> Points
    {
        get;
        init => field = ContentList<CommitPoint>.Of(value);
    }

    /// <summary>The bytes written for it beside the log.</summary>
    public required long BytesWritten { get; init; }

    /// <summary>The time from its start until it was durable.</summary>
    public required TimeSpan Elapsed { get; init; }

    /// <summary>Whether nothing had changed since the commit before, which is returned again.</summary>
    public bool WasEmpty { get; init; }
}
