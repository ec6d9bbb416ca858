using Faster.Compaction.Copying;
using Faster.Compaction.Large;
using Faster.Compaction.Truncation;
using Faster.Index.Entries;
using Faster.LogSessions;
using Faster.Operations.Merging;
using Faster.Tiers;

namespace Faster.Compaction.Sweeps;

/// <summary>
/// Copies the live records of the oldest part of one tier's log to the tail of a tier whose entries are on disk: that
/// of the tier below (hot-cold compaction, paper 003 §5.2) or its own (cold-cold).
/// </summary>
/// <remarks>
/// <para>Each thread gathers where the records of many pages lie, sorts them by the places of their entries, and then
/// copies them in that order, so that one read of the index serves many of them (<see cref="IEntrySweep"/>). Only a
/// part of the records fits into memory at a time, so the pages are read again for each part.</para>
/// <para>The invariants are those of <see cref="LiveRecordCopier{TEntries}"/>: of two records of a key, the
/// search for the older one finds the newer one, in whatever order they are taken.</para>
/// <para>Memory: <see cref="CopyBatches"/>, which all such runs to a tier share, and a page and the pending
/// operations of each thread.</para>
/// <para>Deltas do not move. Before the part is truncated, the whole value of each key that has deltas in it is linked
/// at the tail of the first tier's own log (docs/internals/tiered-merging.md).</para>
/// <para>A value in fragments is copied before its record is (<see cref="LargeValueCopier{TEntries}"/>): while
/// that takes place, a commit need not wait. When all pages have been walked, the values are copied that begin in them
/// and whose records lie above.</para>
/// <para>One run at a time, outside every epoch.</para>
/// </remarks>
/// <typeparam name="TFrom">The entries of the first tier.</typeparam>
/// <typeparam name="TTo">The entries of the second tier.</typeparam>
/// <param name="from">The tier whose records are copied.</param>
/// <param name="to">The tier to whose tail they are copied.</param>
/// <param name="steps">The order of the truncation that follows.</param>
/// <param name="liveness">Excludes records that are known to be dead without a lookup.</param>
/// <param name="threads">The number of threads that copy, including the caller's.</param>
/// <param name="mustStop">Whether the run must end early.</param>
/// <param name="batches">The memory.</param>
/// <param name="pause">Keeps the run from writing while a commit captures the tier to which it copies.</param>
internal sealed class SweptCopier<TFrom, TTo>(
    Tier from, Tier to, TruncationSteps steps, LivenessFilter liveness, int threads,
    Func<bool> mustStop, CopyBatches batches, CopyPause pause) : ILiveRecordCopier
    where TFrom : struct, IEntryAccess<TFrom>
    where TTo : struct, IEntryAccess<TTo>
{
    /// <summary>
    /// Makes a thread's search for newer records above the first tier; null where there is none, or deltas may lie
    /// there.
    /// </summary>
    public Func<LogSession, RecordsAbove>? Above { get; init; }

    /// <inheritdoc/>
    public (CopyCounters Counters, long Reached) Run(long begin, long until, long maxCopied)
    {
        var frontier = new PageFrontier(begin, until, from.PagedLog!.PageBits, maxCopied);
        using LargeHeads? heads = from.Layout.ValueSize == 0
            ? new LargeHeads(from, begin, SweptCopyWorker<TFrom, TTo>.Owner)
            : null;
        HeldDeltas? held = from == to || from.Schema.Merger is null
            ? null
            : new HeldDeltas(from.Core.Epochs, from.Log);
        SweptCopyWorker<TFrom, TTo> NewWorker(Func<bool> stops) =>
            new(from, to, heads, held, steps, liveness, batches, pause, stops, Above);

        CopyCounters counters = CopyThreads.Run(frontier, threads, mustStop, NewWorker);
        until = frontier.Reached;
        if (heads is null) return (counters, until);
        steps.RaiseFloorAsync(until).GetAwaiter().GetResult();
        using SweptCopyWorker<TFrom, TTo> last = NewWorker(mustStop);
        last.CopyStraddling(until);
        counters.Add(last.Counters);
        return (counters, until);
    }
}
