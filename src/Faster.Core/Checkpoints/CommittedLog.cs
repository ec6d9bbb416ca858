using Faster.Log;

namespace Faster.Checkpoints;

/// <summary>What recovery must know of one log of a commit (docs/formats/commit.md).</summary>
/// <remarks>
/// Invariants: Begin ≤ FlushedUntil ≤ End; Start ≤ End; FlushedUntil and End lie on boundaries of sectors. Immutable;
/// thread-safe.
/// </remarks>
internal sealed record CommittedLog
{
    /// <summary>The name of the log of a store of one, and of its index.</summary>
    public const string Main = "main";

    /// <summary>Which of the store's logs it is.</summary>
    public required string Name { get; init; }

    /// <summary>The lowest valid address.</summary>
    public required long BeginAddress { get; init; }

    /// <summary>Below it the log itself holds the records; from it on, the snapshots do.</summary>
    public required long FlushedUntilAddress { get; init; }

    /// <summary>Lh_s: no record of version v + 1 lies below it.</summary>
    public required long StartAddress { get; init; }

    /// <summary>Lh_e: no record of version v lies at or above it. The recovered tail.</summary>
    public required long EndAddress { get; init; }

    /// <summary>A whole snapshot and the increments over it, oldest first; empty after a fold-over.</summary>
    public IReadOnlyList<SnapshotReference> Snapshots { get; init; } = [];

    /// <summary>Which incarnation has written which part of the log, ascending; the first begins at 0.</summary>
    public required IReadOnlyList<Incarnation> Incarnations { get; init; }

    /// <summary>Records on the log that no commit has covered, and that reads must step over, ascending.</summary>
    public IReadOnlyList<AbandonedRange> Abandoned { get; init; } = [];

    /// <summary>What is known of the log's age, ascending.</summary>
    public IReadOnlyList<AgeMark> Ages { get; init; } = [];
}

/// <summary>A snapshot of what was in memory only, or an increment over the one before.</summary>
/// <param name="FileName">Its file.</param>
/// <param name="Identity">What its blocks are sealed with.</param>
/// <param name="Bytes">The file's length.</param>
internal sealed record SnapshotReference(string FileName, ulong Identity, long Bytes);
