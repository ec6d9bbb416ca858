using Faster.Compaction.Large;
using Faster.Compaction.Lookups;
using Faster.Compaction.Truncation;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Operations.Merging;
using Faster.Tiers;

namespace Faster.Compaction.Copying;

/// <summary>
/// Copies the live records of the oldest part of a tier's log to its tail (paper 000, App. C, roll to tail;
/// lookup-based and multi-threaded, 003 §5.2): page by page, each record by a conditional insert.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>When a run has succeeded, every live record of the range has a copy above it, or a newer record.</item>
/// <item>All copies of a thread's pages are complete before it takes other pages in their place.</item>
/// <item>The copier truncates nothing, so a failure loses nothing. The first failure stops all threads.</item>
/// </list>
/// <para>Threads take whole pages, in order, from a shared frontier (<see cref="PageFrontier"/>). Records do not span
/// pages, and conditional inserts may run in any order: of two records of a key, the insert of the older one finds the
/// newer one or its copy. So the threads share only the frontier, the heads of large values, and the held
/// deltas.</para>
/// <para>Memory: the page and one fragment of each thread, one further page, and the pending operations of each
/// thread's session, however much is compacted.</para>
/// <para>The sessions are internal, and commits record no serial number for them. A copy that a commit does not cover
/// because of its version is not needed: its original is still above the Begin of that commit
/// (docs/internals/truncation.md).</para>
/// <para>One run at a time, outside every epoch.</para>
/// </remarks>
/// <typeparam name="TEntries">The entries of the tier.</typeparam>
/// <param name="tier">The tier.</param>
/// <param name="liveness">Excludes records that are known to be dead without a lookup.</param>
/// <param name="steps">The order of the truncation that follows.</param>
/// <param name="threads">The number of threads that copy, including the caller's.</param>
/// <param name="mustStop">Whether the run must end early.</param>
/// <param name="lookupBytes">The memory for look-ups that are put off; 0: it has none of its own.</param>
/// <param name="lookupLoan">The memory that the log lends for them where there is none; 0: none.</param>
internal sealed class LiveRecordCopier<TEntries>(
    Tier tier, LivenessFilter liveness, TruncationSteps steps, int threads,
    Func<bool> mustStop, long lookupBytes = 0, long lookupLoan = 0) : ILiveRecordCopier
    where TEntries : struct, IEntryAccess<TEntries>
{
    private readonly PagedLog _log = tier.PagedLog!;

    /// <inheritdoc/>
    public (CopyCounters Counters, long Reached) Run(long begin, long until, long maxCopied)
    {
        // There are look-ups to put off only where records have left memory, and no more than these.
        long loan = Math.Min(lookupLoan, _log.HeadAddress - begin);
        bool isLent = tier.Schema.Merger is null && loan >= threads * LookupMemory.MinBytes
            && tier.Memory.TryLend(loan, mustStop);
        if (!isLent) return Run(begin, until, maxCopied, lookupBytes);
        try
        {
            return Run(begin, until, maxCopied, loan);
        }
        finally
        {
            tier.Memory.TakeBack();
        }
    }

    private (CopyCounters Counters, long Reached) Run(long begin, long until, long maxCopied, long lookups)
    {
        using var heads = new LargeHeads(tier, begin, CopyWorker<TEntries>.Owner);
        HeldDeltas? held = tier.Schema.Merger is null
            ? null
            : new HeldDeltas(tier.Core.Epochs, tier.Log);
        var frontier = new PageFrontier(begin, until, _log.PageBits, maxCopied);
        CopyWorker<TEntries> NewWorker(Func<bool> stops) =>
            new(tier, liveness, steps, heads, held, lookups / threads, stops);

        CopyCounters counters = CopyThreads.Run(frontier, threads, mustStop, NewWorker);
        until = frontier.Reached;
        steps.RaiseFloorAsync(until).GetAwaiter().GetResult();
        using CopyWorker<TEntries> last = NewWorker(mustStop);
        last.CopyStraddling(until);
        counters.Add(last.Counters);
        return (counters, until);
    }
}
