using Faster.Compaction.Batches;
using Faster.Compaction.Copying;
using Faster.Compaction.Lookups;
using Faster.HashChunks;
using Faster.Tiers;

namespace Faster.Engines.Tiered;

/// <summary>
/// The stages of cold-cold compaction (paper 003 §5.2): records whose key has no newer one in the hot tier are inserted
/// at the tail of the cold log, unless that has a newer one. Where updates merge, the hot tier is not asked: a delta
/// needs what is below it.
/// </summary>
/// <param name="hot">The hot tier.</param>
/// <param name="moved">Which of its records may have copies in the cold one.</param>
internal sealed class ColdColdStages(Tier hot, MovedPart moved) : IBatchStages
{
    /// <inheritdoc/>
    public ICopyStage Gather(CopyThread thread, CopyBatch batch) => hot.Schema.Merger is not null
        ? batch
        : new RecordsAbove(
            thread.Session, hot, moved, batch, RecordsAbove.PutOffIn(thread, hot, batch.Lookups));

    /// <inheritdoc/>
    public ICopyStage Insert(CopyThread thread, CopyBatch batch) => InsertWith(thread, batch.Lookups);

    /// <inheritdoc/>
    public ICopyStage ForStraddling(CopyThread thread) => InsertWith(thread, default);

    private static RecordInserts<ChunkEntries, ChunkEntries> InsertWith(CopyThread thread, in LookupMemory lookups) =>
        new(thread, new DeferredLookups(thread, lookups));
}
