using Faster.Checkpoints.Index;

namespace Faster.Checkpoints;

/// <summary>What recovery must know of an index over a log of a commit (docs/formats/commit.md).</summary>
/// <remarks>Immutable; thread-safe.</remarks>
internal sealed record CommittedIndex
{
    /// <summary>
    /// The largest number of buckets that the index had since the address where replay begins: no chain-join record
    /// from there on joins chains of a larger index (<see cref="BucketHistory"/>).
    /// </summary>
    public required long BucketCount { get; init; }

    /// <summary>The checkpoint to begin from, or null: the index is rebuilt from the whole log.</summary>
    public IndexReference? Checkpoint { get; init; }
}

/// <summary>A fuzzy checkpoint of the index (paper 004 §5.4).</summary>
/// <param name="FileName">The name of the file.</param>
/// <param name="Identity">The identity with which the checksums of its blocks are seeded.</param>
/// <param name="Bytes">The length of the file.</param>
/// <param name="StartAddress">Li_s: the log's tail when the checkpoint began.</param>
/// <param name="EndAddress">Li_e: the log's tail when the checkpoint ended.</param>
internal sealed record IndexReference(
    string FileName, ulong Identity, long Bytes, long StartAddress, long EndAddress)
    : FileReference(FileName, Identity, Bytes);
