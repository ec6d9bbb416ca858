using Faster.Compaction.Lookups;
using Faster.Compaction.Merging;
using Faster.Index.Entries;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Memory;
using Faster.Tiers;

namespace Faster.Compaction.Copying;

/// <summary>
/// Copies record by record: each is inserted as soon as the walk over its page has come to it. For a log whose entries
/// are in memory.
/// </summary>
/// <remarks>
/// Memory of a thread: a page, the look-ups that are put off, and the session's pending operations.
/// </remarks>
/// <param name="insert">Makes a thread's only stage.</param>
/// <param name="lookupBytes">The memory of a thread for look-ups that are put off; 0: none is.</param>
internal sealed unsafe class DirectCopy(Func<CopyThread, DeferredLookups, ICopyStage> insert, long lookupBytes)
    : ICopyMethod
{
    /// <summary>
    /// The method for a tier: where updates merge, records are collapsed, and no look-up is put off.
    /// </summary>
    /// <typeparam name="TEntries">The tier's entries.</typeparam>
    /// <param name="tier">The tier.</param>
    /// <param name="lookupBytes">The memory of a thread for look-ups that are put off; 0: none is.</param>
    public static DirectCopy Of<TEntries>(Tier tier, long lookupBytes)
        where TEntries : struct, IEntryAccess<TEntries> => tier.Schema.Merger is null
        ? new(static (thread, lookups) => new RecordInserts<TEntries, TEntries>(thread, lookups), lookupBytes)
        : new(static (thread, _) => new Collapses<TEntries>(thread, thread.Counters), 0);

    /// <inheritdoc/>
    public void CopyPages(CopyRun run, Func<bool> mustStop, CopyCounters counters)
    {
        Tier tier = run.Route.From;
        using NativeBlock? memory = lookupBytes == 0 ? null : new NativeBlock(lookupBytes);
        using var page = new PageCopy(tier.Core.Epochs, run.Route.Log, tier.Storage!, CopyThread.Owner);
        using var thread = new CopyThread(run, mustStop, counters);
        LookupMemory lookups = memory is null ? default : LookupMemory.Of(memory.Pointer, lookupBytes);
        ICopyStage stage = insert(thread, new DeferredLookups(thread, lookups));
        while (run.Frontier.TryTake(out long start, out long end))
        {
            long copied = counters.BytesCopied;
            for (RecordBoundary at = run.Route.Log.WalkStartOf(start); at.Address < end;)
            {
                thread.Walk(page.Walk(ref at, end), stage);
                stage.Settle();
            }

            stage.LookUp(page, all: false);
            run.Frontier.CountCopied(counters.BytesCopied - copied);
        }

        stage.LookUp(page, all: true);
    }

    /// <inheritdoc/>
    public ICopyStage ForStraddling(CopyThread thread) => insert(thread, new DeferredLookups(thread, default));
}
