using Faster.OperationLogs;

namespace Faster.Checkpoints;

/// <summary>
/// What recovery must know of one part of a store in a commit (docs/formats/commit.md): of a log with its index, or of
/// what is captured as a whole in a file.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>It has a log or a file.</item>
/// <item>It has an index only over its log, and the index's checkpoint, if there is one, ends at or below the log's
/// end.</item>
/// <item>It has marks only if it has a file and no log.</item>
/// </list>
/// <para>Immutable; thread-safe.</para>
/// </remarks>
internal sealed record CommittedPart
{
    /// <summary>The part's name within the store.</summary>
    public required string Name { get; init; }

    /// <summary>The log, or null.</summary>
    public CommittedLog? Log { get; init; }

    /// <summary>The hash index over the log that recovery restores; null: there is none.</summary>
    public CommittedIndex? Index { get; init; }

    /// <summary>The file with all of the part that is in no log; null: there is none.</summary>
    public FileReference? File { get; init; }

    /// <summary>
    /// Of operation logs: where in each of them what the commit lacks begins. Empty for any other part.
    /// </summary>
    public IReadOnlyList<LogMark> Marks { get; init; } = [];

    /// <summary>The files that the commit needs for this part, apart from the segments of its log.</summary>
    public IEnumerable<FileReference> Files =>
        ((IEnumerable<FileReference?>)[Index?.Checkpoint, File, .. Log?.Snapshots ?? []]).OfType<FileReference>();
}
