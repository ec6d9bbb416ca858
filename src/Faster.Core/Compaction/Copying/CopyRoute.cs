using Faster.Compaction.Batches;
using Faster.Compaction.Truncation;
using Faster.Log;
using Faster.Tiers;

namespace Faster.Compaction.Copying;

/// <summary>From which log to which a compaction copies, and what it respects on the way.</summary>
/// <param name="From">The tier whose records are copied.</param>
/// <param name="To">The tier to whose tail they are copied: the same, or the one below.</param>
/// <param name="Steps">The order of the truncation that follows.</param>
/// <param name="Liveness">Excludes records that are known to be dead without a look-up.</param>
/// <param name="MustStop">Whether a run must end early.</param>
internal sealed record CopyRoute(
    Tier From, Tier To, TruncationSteps Steps, LivenessFilter Liveness, Func<bool> MustStop)
{
    /// <summary>The number of threads that copy, including the caller's.</summary>
    public int Threads { get; init; } = 1;

    /// <summary>Keeps copies back while a commit captures the second tier. By default nothing does.</summary>
    public CopyPause Pause { get; init; } = new();

    /// <summary>The log that is compacted.</summary>
    public PagedLog Log => From.PagedLog!;

    /// <summary>Whether records are copied to the tail of their own log.</summary>
    public bool IsWithinLog => From == To;

    /// <summary>The route of a truncation that compacts.</summary>
    public static CopyRoute Of(LogTruncation truncation, Tier from, Tier to) =>
        new(from, to, truncation.Steps, truncation.Liveness, () => truncation.IsClosing)
        {
            Threads = from.Core.MemoryPlan.CompactionThreads,
        };
}
