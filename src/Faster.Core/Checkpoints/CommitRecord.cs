namespace Faster.Checkpoints;

/// <summary>
/// Everything that recovery must know of one commit: the content of its metadata file (docs/formats/commit.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>There is at least one log.</item>
/// <item>No two logs and no two indexes have the same name.</item>
/// <item>An index has the name of a log, and its checkpoint, if it has one, ends at or below the log's end.</item>
/// </list>
/// <para>Immutable; thread-safe.</para>
/// </remarks>
internal sealed record CommitRecord
{
    /// <summary>The committed version v: records of later versions are not part of the commit.</summary>
    public required long Version { get; init; }

    /// <summary>
    /// The version of the commit before it, whose record is kept as long as this one is the newest. 0: there is none,
    /// or it is not known. <see cref="CommitCatalog.Publish"/> sets it.
    /// </summary>
    public long Previous { get; init; }

    /// <summary>How the logs were captured.</summary>
    public required CommitKind Kind { get; init; }

    /// <summary>The captured logs, at least one.</summary>
    public IReadOnlyList<CommittedLog> Logs { get; init; } = [];

    /// <summary>The captured indexes.</summary>
    public IReadOnlyList<CommittedIndex> Indexes { get; init; } = [];

    /// <summary>The log in which operations write: the only one, or that of the hot tier.</summary>
    public CommittedLog Log => Logs[0];

    /// <summary>The index of <see cref="Log"/>.</summary>
    public CommittedIndex Index => Indexes[0];

    /// <summary>The earliest time that a clock shows; below 0, as Unix time begins in 1970.</summary>
    public static readonly long EarliestClock = DateTimeOffset.MinValue.ToUnixTimeMilliseconds();

    /// <summary>The log of a name.</summary>
    public CommittedLog LogOf(string name) => Logs.First(log => log.Name == name);

    /// <summary>The index of the log of a name.</summary>
    public CommittedIndex IndexOf(string name) => Indexes.First(index => index.Name == name);

    /// <summary>
    /// The store's time, in Unix milliseconds: not before any time that an operation of the commit has used. A store
    /// opened from the commit shows no earlier time. <see cref="EarliestClock"/> when the time is not known.
    /// </summary>
    public long Clock { get; init; } = EarliestClock;

    /// <summary>The commit points of the named sessions.</summary>
    public IReadOnlyList<CommitPoint> Sessions { get; init; } = [];
}
