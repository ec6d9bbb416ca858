namespace Faster.Checkpoints;

/// <summary>What recovery must know of one index of a commit (docs/formats/commit.md).</summary>
/// <remarks>Immutable; thread-safe.</remarks>
internal sealed record CommittedIndex
{
    /// <summary>Which of the store's indexes it is: that of the log of this name.</summary>
    public required string Name { get; init; }

    /// <summary>
    /// The most buckets that the index had since the replay begins: no merge record in it joins chains of a larger
    /// index (<see cref="BucketHistory{TProbe}"/>).
    /// </summary>
    public required long BucketCount { get; init; }

    /// <summary>The checkpoint to begin from, or null: the index is rebuilt from the whole log.</summary>
    public IndexReference? Checkpoint { get; init; }
}

/// <summary>A fuzzy checkpoint of the index (paper 004 §5.4).</summary>
/// <param name="FileName">Its file.</param>
/// <param name="Identity">What its blocks are sealed with.</param>
/// <param name="Bytes">The file's length.</param>
/// <param name="StartAddress">Li_s: the tail before it began.</param>
/// <param name="EndAddress">Li_e: the tail after it ended.</param>
internal sealed record IndexReference(
    string FileName, ulong Identity, long Bytes, long StartAddress, long EndAddress);
