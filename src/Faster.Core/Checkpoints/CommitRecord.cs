namespace Faster.Checkpoints;

/// <summary>
/// Everything that recovery must know of one commit: the content of its metadata file
/// (docs/formats/commit.md).
/// </summary>
/// <remarks>
/// Invariants: there is a log; no two logs and no two indexes have one name; an index has the name of a log, and its
/// checkpoint, if there is one, ends at or below the log's end. Immutable; thread-safe.
/// </remarks>
internal sealed record CommitRecord
{
    /// <summary>The version v that was committed: records of later versions are not part of it.</summary>
    public required long Version { get; init; }

    /// <summary>How the logs were captured.</summary>
    public required CommitKind Kind { get; init; }

    /// <summary>The logs.</summary>
    public IReadOnlyList<CommittedLog> Logs { get; init; } = [];

    /// <summary>The indexes.</summary>
    public IReadOnlyList<CommittedIndex> Indexes { get; init; } = [];

    /// <summary>The one log of a store of one.</summary>
    public CommittedLog Log => Logs[0];

    /// <summary>The one index of a store of one.</summary>
    public CommittedIndex Index => Indexes[0];

    /// <summary>
    /// The store's time, in Unix milliseconds: no earlier than any by which an operation of the commit was carried out.
    /// A store that is opened from it has no earlier one. 0 when it is not known.
    /// </summary>
    public long Clock { get; init; }

    /// <summary>The commit points of the named sessions.</summary>
    public IReadOnlyList<CommitPoint> Sessions { get; init; } = [];
}
