using Faster.Log;

namespace Faster.Checkpoints;

/// <summary>
/// Everything that recovery must know of one commit: the content of its metadata file
/// (docs/formats/commit.md).
/// </summary>
/// <remarks>
/// Invariants: Begin ≤ FlushedUntil ≤ End; Start ≤ End; FlushedUntil and End lie on boundaries of sectors; an index
/// checkpoint, if there is one, ends at or below End and has the bucket count of the commit. Immutable; thread-safe.
/// </remarks>
internal sealed record CommitRecord
{
    /// <summary>The version v that was committed: records of later versions are not part of it.</summary>
    public required long Version { get; init; }

    /// <summary>How the log was captured.</summary>
    public required CommitKind Kind { get; init; }

    /// <summary>The lowest valid address.</summary>
    public required long BeginAddress { get; init; }

    /// <summary>Below it the log itself holds the records; from it on, the snapshots do.</summary>
    public required long FlushedUntilAddress { get; init; }

    /// <summary>Lh_s: no record of version v + 1 lies below it.</summary>
    public required long StartAddress { get; init; }

    /// <summary>Lh_e: no record of version v lies at or above it. The recovered tail.</summary>
    public required long EndAddress { get; init; }

    /// <summary>
    /// The most buckets that the index had since the replay begins: no merge record in it joins chains of a larger
    /// index (<see cref="BucketHistory{TProbe}"/>).
    /// </summary>
    public required long BucketCount { get; init; }

    /// <summary>The index checkpoint to begin from, or null: the index is rebuilt from the whole log.</summary>
    public IndexReference? Index { get; init; }

    /// <summary>A whole snapshot and the increments over it, oldest first; empty after a fold-over.</summary>
    public IReadOnlyList<SnapshotReference> Snapshots { get; init; } = [];

    /// <summary>Which incarnation has written which part of the log, ascending; the first begins at 0.</summary>
    public required IReadOnlyList<Incarnation> Incarnations { get; init; }

    /// <summary>Records on the log that no commit has covered, and that reads must step over, ascending.</summary>
    public IReadOnlyList<AbandonedRange> Abandoned { get; init; } = [];

    /// <summary>What is known of the log's age, ascending.</summary>
    public IReadOnlyList<AgeMark> Ages { get; init; } = [];

    /// <summary>
    /// The store's time, in Unix milliseconds: no earlier than any by which an operation of the commit was carried out.
    /// A store that is opened from it has no earlier one. 0 when it is not known.
    /// </summary>
    public long Clock { get; init; }

    /// <summary>The commit points of the named sessions.</summary>
    public IReadOnlyList<CommitPoint> Sessions { get; init; } = [];
}

/// <summary>A fuzzy checkpoint of the index (paper 004 §5.4).</summary>
/// <param name="FileName">Its file.</param>
/// <param name="Identity">What its blocks are sealed with.</param>
/// <param name="Bytes">The file's length.</param>
/// <param name="StartAddress">Li_s: the tail before it began.</param>
/// <param name="EndAddress">Li_e: the tail after it ended.</param>
internal sealed record IndexReference(
    string FileName, ulong Identity, long Bytes, long StartAddress, long EndAddress);

/// <summary>A snapshot of what was in memory only, or an increment over the one before.</summary>
/// <param name="FileName">Its file.</param>
/// <param name="Identity">What its blocks are sealed with.</param>
/// <param name="Bytes">The file's length.</param>
internal sealed record SnapshotReference(string FileName, ulong Identity, long Bytes);
