using Faster.Compaction.Copying;

namespace Faster.Compaction.Batches;

/// <summary>The stages of a copy in batches: an engine puts them together for two tiers.</summary>
/// <remarks>Thread-safe: each thread makes stages of its own.</remarks>
internal interface IBatchStages
{
    /// <summary>Makes the first of the stages that gather records; the last one passes them on to a batch.</summary>
    /// <param name="thread">The thread.</param>
    /// <param name="batch">The batch, which has memory for look-ups that are put off.</param>
    ICopyStage Gather(CopyThread thread, CopyBatch batch);

    /// <summary>Makes the stage that inserts the records of a batch.</summary>
    /// <param name="thread">The thread.</param>
    /// <param name="batch">As for <see cref="Gather"/>: what was put off then has been looked up.</param>
    ICopyStage Insert(CopyThread thread, CopyBatch batch);

    /// <inheritdoc cref="ICopyMethod.ForStraddling"/>
    ICopyStage ForStraddling(CopyThread thread);
}
