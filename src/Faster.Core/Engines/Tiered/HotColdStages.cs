using Faster.Compaction.Batches;
using Faster.Compaction.Copying;
using Faster.Compaction.Lookups;
using Faster.Compaction.Merging;
using Faster.HashChunks;
using Faster.Index.Entries;

namespace Faster.Engines.Tiered;

/// <summary>
/// The stages of hot-cold compaction (paper 003 §5.2): the records that are their keys' newest in the hot tier are
/// inserted into the cold one. Deltas do not move; their keys are collapsed first (docs/internals/tiered-merging.md).
/// </summary>
internal sealed class HotColdStages : IBatchStages
{
    /// <inheritdoc/>
    public ICopyStage Gather(CopyThread thread, CopyBatch batch)
    {
        bool merges = thread.Route.From.Schema.Merger is not null;
        var lookups = new DeferredLookups(thread, merges ? default : batch.Lookups);
        var newest = new NewestRecords<HashEntries>(thread, batch, lookups);
        return merges ? new DeltaFork(new Collapses<HashEntries>(thread, new CopyCounters()), newest) : newest;
    }

    /// <inheritdoc/>
    public ICopyStage Insert(CopyThread thread, CopyBatch batch) => Insert(thread);

    /// <inheritdoc/>
    public ICopyStage ForStraddling(CopyThread thread) =>
        new NewestRecords<HashEntries>(thread, Insert(thread), new DeferredLookups(thread, default));

    private static RecordInserts<HashEntries, ChunkEntries> Insert(CopyThread thread) =>
        new(thread, new DeferredLookups(thread, default));
}
