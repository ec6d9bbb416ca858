using System.Runtime.ExceptionServices;
using Faster.Compaction.Large;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Sessions;
using Faster.Store.Merging;
using Faster.Tiers;

namespace Faster.Compaction.Copying;

/// <summary>
/// Copies the live records of the oldest part of one tier's log to the tail of a tier, the same or another one (paper
/// 000, App. C, roll to tail; lookup-based and multi-threaded, 003 §5.2): page by page, each record by a conditional
/// insert.
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
/// <para>Memory: the pages and one fragment of each thread, one further page, and the pending operations of each
/// thread's session, however much is compacted.</para>
/// <para>The sessions are internal, and commits record no serial number for them. A copy that a commit does not cover
/// because of its version is not needed: its original is still above the Begin of that commit
/// (docs/internals/truncation.md).</para>
/// <para>One run at a time, outside every epoch.</para>
/// </remarks>
/// <typeparam name="TProbe">The probe.</typeparam>
/// <typeparam name="TFrom">The entries of the first tier.</typeparam>
/// <typeparam name="TTo">The entries of the second tier.</typeparam>
/// <param name="from">The tier whose records are copied.</param>
/// <param name="to">The tier to whose tail they are copied.</param>
/// <param name="liveness">Excludes records that are known to be dead without a lookup.</param>
/// <param name="steps">The order of the truncation that follows.</param>
/// <param name="threads">The number of threads that copy, including the caller's.</param>
/// <param name="mustStop">Whether the run must end early.</param>
/// <param name="memory">The memory of each thread; null: one page.</param>
/// <param name="pause">Keeps the run from writing while a commit captures the tier to which it copies; or null.</param>
internal sealed class LiveRecordCopier<TProbe, TFrom, TTo>(
    Tier<TProbe> from, Tier<TProbe> to, LivenessFilter<TProbe> liveness, TruncationSteps<TProbe> steps, int threads,
    Func<bool> mustStop, CopyMemory? memory = null, CopyPause<TProbe>? pause = null) : ILiveRecordCopier
    where TProbe : struct, IProbe
    where TFrom : struct, IEntryAccess<TFrom>
    where TTo : struct, IEntryAccess<TTo>
{
    private readonly PagedLog<TProbe> _log = from.PagedLog!;

    /// <inheritdoc/>
    public (CopyCounters Counters, long Reached) Run(long begin, long until, long maxCopied)
    {
        using var heads = new LargeHeads<TProbe>(from, begin, CopyWorker<TProbe, TFrom, TTo>.Owner);
        HeldDeltas<TProbe>? held = from.Schema.Merger is null
            ? null
            : new HeldDeltas<TProbe>(from.Core.Epochs, to.Log);
        var frontier = new PageFrontier(begin, until, _log.PageBits, maxCopied);
        ExceptionDispatchInfo? failure = null;
        CopyWorker<TProbe, TFrom, TTo> NewWorker(CopyMemory? own = null) => new(
            from, to, liveness, steps, heads, held, own ?? CopyMemory.Least,
            () => Volatile.Read(ref failure) is not null || mustStop(), pause);

        // Never throws: whatever a thread still uses stays until all have ended.
        CopyCounters CopyPages()
        {
            try
            {
                using CopyWorker<TProbe, TFrom, TTo> worker = NewWorker(memory);
                worker.CopyPages(frontier);
                return worker.Counters;
            }
            catch (Exception e)
            {
                Interlocked.CompareExchange(ref failure, ExceptionDispatchInfo.Capture(e), null);
                return new CopyCounters();
            }
        }

        int others = (int)Math.Max(Math.Min(threads, frontier.Pages) - 1, 0);
        Task<CopyCounters>[] running = [.. Enumerable.Range(0, others).Select(_ => Task.Factory.StartNew(
            CopyPages, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        CopyCounters counters = CopyPages();
        foreach (Task<CopyCounters> worker in running) counters.Add(worker.GetAwaiter().GetResult());
        failure?.Throw();
        until = frontier.Reached;
        steps.RaiseFloorAsync(until).GetAwaiter().GetResult();
        using CopyWorker<TProbe, TFrom, TTo> last = NewWorker();
        last.CopyStraddling(until);
        counters.Add(last.Counters);
        return (counters, until);
    }
}
