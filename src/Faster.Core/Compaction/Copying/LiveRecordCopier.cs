namespace Faster.Compaction.Copying;

/// <summary>
/// Copies the live records of the oldest part of a log to its tail (paper 000, App. C, roll to tail; lookup-based and
/// multi-threaded, 003 §5.2), or to the tail of the log below.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>When a run has succeeded, every live record of the range has a copy above it or below its tier, or a newer
/// record.</item>
/// <item>What the operations of a thread refer to stays until they are complete.</item>
/// <item>The copier truncates nothing, so a failure loses nothing. The first failure stops all threads.</item>
/// </list>
/// <para>Threads take whole pages, in order, from a shared frontier (<see cref="PageFrontier"/>). Records do not span
/// pages, and conditional inserts may run in any order: of two records of a key, the search for the older one finds the
/// newer one or its copy. So the threads share only what <see cref="CopyRun"/> has. How each of them copies is the
/// method's: record by record (<see cref="DirectCopy"/>), or in batches
/// (<see cref="Batches.BatchedCopy"/>).</para>
/// <para>A value in fragments is copied before its record is. When all pages have been walked, the values are copied
/// that begin in them and whose records lie above.</para>
/// <para>The sessions are internal, and commits record no serial number for them. A copy that a commit does not cover
/// because of its version is not needed: its original is still above the Begin of that commit
/// (docs/internals/truncation.md).</para>
/// <para>One run at a time, outside every epoch. Memory: one page, one fragment of each thread, and what the method
/// takes, however much is compacted.</para>
/// </remarks>
/// <param name="route">From where to where.</param>
/// <param name="method">How each thread copies.</param>
internal sealed unsafe class LiveRecordCopier(CopyRoute route, ICopyMethod method) : ILiveRecordCopier
{
    /// <inheritdoc/>
    public (CopyCounters Counters, long Reached) Run(long begin, long until, long maxCopied)
    {
        var frontier = new PageFrontier(begin, until, route.Log.PageBits, maxCopied);
        using var run = new CopyRun(route, begin, frontier);
        CopyCounters counters = CopyThreads.Run(run, method);
        if (!run.Heads.IsEmpty) CopyStraddling(run, frontier.Reached, counters);
        return (counters, frontier.Reached);
    }

    private void CopyStraddling(CopyRun run, long until, CopyCounters counters)
    {
        route.Steps.RaiseFloorAsync(until).GetAwaiter().GetResult();
        using var thread = new CopyThread(run, route.MustStop, counters);
        List<long> found = run.Heads.FindFrom(until, thread.CheckStop);
        if (found.Count == 0) return;
        if (route.IsWithinLog) route.Steps.ShiftReadOnlyPastAsync(found.Max()).GetAwaiter().GetResult();
        ICopyStage stage = method.ForStraddling(thread);
        foreach (long address in found)
        {
            thread.CheckStop();
            counters.Examined++;
            PageRecord record = thread.RecordAt(run.Heads.Load(address, isImmutable: route.IsWithinLog), address);
            if (thread.IsLeftBehind(record)) continue;
            stage.Take(record, mayPutOff: false);
            stage.Settle();
        }
    }
}
