namespace Faster;

/// <summary>Describes a commit that has become durable.</summary>
public sealed record Commit
{
    /// <summary>The committed version of the store. Each commit increments it by one.</summary>
    public required long Version { get; init; }

    /// <summary>How the commit captured the log: the requested kind, or a more complete one if that was due.</summary>
    public required CommitKind Kind { get; init; }

    /// <summary>Whether the commit includes an index checkpoint that no earlier commit had.</summary>
    public required bool HasNewIndex { get; init; }

    /// <summary>
    /// The commit point of every open session, and of every named session that has not been forgotten.
    /// </summary>
    public required IReadOnlyList<CommitPoint> Points
    {
        get;
        init => field = ContentList<CommitPoint>.Of(value);
    }

    /// <summary>The number of bytes written for the commit in addition to the log.</summary>
    public required long BytesWritten { get; init; }

    /// <summary>The time from the start of the commit until it was durable.</summary>
    public required TimeSpan Elapsed { get; init; }

    /// <summary>
    /// Whether nothing had changed since the previous commit. The previous commit is then returned again.
    /// </summary>
    public bool WasEmpty { get; init; }
}
