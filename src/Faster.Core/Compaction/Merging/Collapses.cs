using Faster.Compaction.Copying;
using Faster.Index.Entries;
using Faster.LogSessions;
using Faster.Operations.Merging;

namespace Faster.Compaction.Merging;

/// <summary>
/// The stage in which the keys of records are collapsed: one whole record with all of a key's value is linked at the
/// tail of the log that is compacted, if the record still counts in that.
/// </summary>
/// <param name="thread">The thread that it belongs to.</param>
/// <param name="counters">Counts the records that were linked.</param>
internal sealed unsafe class Collapses<TEntries>(CopyThread thread, CopyCounters counters) : ICopyStage
    where TEntries : struct, IEntryAccess<TEntries>
{
    private readonly OperationRunner _runner = thread.Session.RunnerOf(thread.Route.From);
    private readonly CollapseRun _run = new(
        thread.Route.From.Schema, thread.Route.From.Layout, thread.Run.Held, counters, thread.Session);

    /// <inheritdoc/>
    public void Prefetch(ulong hash) => thread.PrefetchEntry(hash);

    /// <inheritdoc/>
    public void Take(in PageRecord record, bool mayPutOff)
    {
        var collapse = new RecordCollapse(_run, record.Address, record.Header, record.Bytes);
        Status merged = CompactionInsert.Run<
            CollapseAlgorithm<TEntries, RecordCollapse>, RecordCollapse>(
            _runner, record.Key, record.Hash, ref collapse);
        if (merged != Status.Pending) collapse.Complete(merged, null);
    }

    /// <inheritdoc/>
    public void Settle() => CompactionInsert.CompletePending(thread.Session);
}
