namespace Faster.Checkpoints;

/// <summary>
/// Everything that recovery must know of one commit: the content of its metadata file (docs/formats/commit.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>There is at least one part.</item>
/// <item>No two parts have the same name.</item>
/// </list>
/// <para>Immutable; thread-safe.</para>
/// </remarks>
internal sealed record CommitRecord
{
    /// <summary>The committed version v: records of later versions are not part of the commit.</summary>
    public required long Version { get; init; }

    /// <summary>
    /// The version of the commit before it, whose record is kept as long as this one is the newest. 0: there is none.
    /// <see cref="CommitCatalog.Publish"/> sets it.
    /// </summary>
    public long Previous { get; init; }

    /// <summary>How the parts that operations write were captured.</summary>
    public required CommitKind Kind { get; init; }

    /// <summary>The captured parts of the store, at least one.</summary>
    public IReadOnlyList<CommittedPart> Parts { get; init; } = [];

    /// <summary>The earliest time that a clock shows; below 0, as Unix time begins in 1970.</summary>
    public static readonly long EarliestClock = DateTimeOffset.MinValue.ToUnixTimeMilliseconds();

    /// <summary>
    /// The store's time, in Unix milliseconds: not before any time that an operation of the commit has used. A store
    /// opened from the commit shows no earlier time. <see cref="EarliestClock"/> when the time is not known.
    /// </summary>
    public long Clock { get; init; } = EarliestClock;

    /// <summary>The commit points of the named sessions.</summary>
    public IReadOnlyList<CommitPoint> Sessions { get; init; } = [];

    /// <summary>The part of a name.</summary>
    public CommittedPart PartOf(string name) => Parts.First(part => part.Name == name);

    /// <summary>The log of the part of a name.</summary>
    public CommittedLog LogOf(string name) => PartOf(name).Log!;

    /// <summary>The index of the part of a name.</summary>
    public CommittedIndex IndexOf(string name) => PartOf(name).Index!;

    /// <summary>The commit as users see it, where an earlier process has made it.</summary>
    public Commit ToCommit() => new()
    {
        Version = Version, Kind = Kind, HasNewIndex = false, Points = Sessions, BytesWritten = 0,
        Elapsed = TimeSpan.Zero,
    };

    /// <summary>This record with further parts.</summary>
    public CommitRecord With(params ReadOnlySpan<CommittedPart> parts) => this with { Parts = [.. Parts, .. parts] };
}
