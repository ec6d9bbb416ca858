using Faster.Checkpoints;
using Faster.Compaction;
using Faster.Compaction.Truncation;
using Faster.Log;
using Faster.Tiers;

namespace Faster.LogCommits;

/// <summary>A log that commits capture, with all that belongs to it.</summary>
/// <param name="Name">The log's name in commit records.</param>
/// <param name="Pages">The log whose pages commits flush.</param>
/// <param name="Storage">The log on its device.</param>
/// <param name="Flusher">Writes the log's pages.</param>
/// <param name="Rising">As <see cref="TruncationSteps.Rising"/>.</param>
/// <param name="Space">The space that the log takes on its device.</param>
/// <param name="Ages">The ages of the log's parts.</param>
internal sealed record DurableLog(
    string Name, PagedLog Pages, LogStorage Storage, PageFlusher Flusher, SemaphoreSlim Rising,
    DiskSpace Space, LogAgeIndex Ages)
{
    /// <summary>The log of a tier.</summary>
    public static DurableLog Of(string name, Tier tier, LogTruncation truncation, DiskSpace space, LogAgeIndex ages) =>
        new(name, tier.PagedLog!, tier.Storage!, tier.Flusher!, truncation.Rising, space, ages);

    /// <summary>What a commit records of the log.</summary>
    /// <param name="begin">The begin address.</param>
    /// <param name="start">Lh_s.</param>
    /// <param name="end">Lh_e.</param>
    /// <param name="flushedUntil">Below it the log's own file has what is captured.</param>
    /// <param name="snapshots">What has the rest.</param>
    public CommittedPart Describe(
        long begin, long start, long end, long flushedUntil, IReadOnlyList<FileReference> snapshots) => new()
    {
        Name = Name,
        Log = new CommittedLog
        {
            BeginAddress = begin,
            FlushedUntilAddress = flushedUntil,
            StartAddress = start,
            EndAddress = end,
            Snapshots = snapshots,
            Incarnations = Storage.Incarnations,
            Discarded = [.. Storage.Discarded.Where(range => range.ToAddress > begin)],
            Ages = Ages.Between(begin, end),
        },
    };
}
