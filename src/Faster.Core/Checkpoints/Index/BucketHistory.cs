using Faster.Index;
using Faster.Log.Records;

namespace Faster.Checkpoints.Index;

/// <summary>
/// Tracks the sizes that the index has had where the replay of a commit begins. In an index of the largest of these
/// sizes no chain-join record of the replay is needed, so no join that was undone later is replayed
/// (docs/internals/commit-capture.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item><c>_before</c> is not below any size that the index had from the log's begin address up to the newest
/// checkpoint.</item>
/// <item>The index's own maximum (<see cref="HashIndex.MaxBuckets"/>) covers what came after it.</item>
/// </list>
/// <para>Not thread-safe: commits are written one after another, and only their writer uses it.</para>
/// </remarks>
internal sealed class BucketHistory
{
    private readonly HashIndex _index;
    private long _before;     // the largest size before the newest index checkpoint began, or before the process
    private long _checkpoint; // the number of buckets in that checkpoint, or 0

    /// <summary>Starts the history of an index that is new or has been recovered.</summary>
    /// <param name="index">The index; it has not been resized yet.</param>
    /// <param name="recovered">What the commit records of the index, or null for a new one.</param>
    public BucketHistory(HashIndex index, CommittedIndex? recovered)
    {
        _index = index;
        index.WatchBucketCount();
        if (recovered is null) return;

        // A commit without a checkpoint records the maximum of all times; with one, nothing is known of the time before
        // it.
        _before = recovered.Checkpoint is null ? recovered.BucketCount : HashBits.MaxBucketCount;
        if (recovered.Checkpoint is not null) _checkpoint = recovered.BucketCount;
    }

    /// <summary>
    /// Whether the index may have been larger than it is. A commit then needs a checkpoint of it; without one it would
    /// record more buckets than there are.
    /// </summary>
    public bool HasShrunk => Math.Max(_before, _index.MaxBuckets) > _index.State.LargestBucketCount;

    /// <summary>
    /// Whether the newest checkpoint has the size of the index, and the index has not been larger since.
    /// </summary>
    public bool HasCheckpoint =>
        _checkpoint == _index.MaxBuckets && _checkpoint == _index.State.LargestBucketCount;

    /// <summary>
    /// Called when a checkpoint of the index begins; the index is not resized during it. It voids the older one.
    /// </summary>
    public void BeginCheckpoint()
    {
        _before = Math.Max(_before, _index.MaxBuckets);
        _checkpoint = 0;
        _index.WatchBucketCount();
    }

    /// <summary>Called when the checkpoint is written.</summary>
    public void EndCheckpoint(long buckets) => _checkpoint = buckets;

    /// <summary>Called when the newest checkpoint is deleted.</summary>
    public void DropCheckpoint() => _checkpoint = 0;

    /// <summary>Decides what a commit records of the index. All records of the commit have been written.</summary>
    /// <param name="buckets">
    /// The largest number of buckets that the index had since the address where the commit's replay begins.
    /// </param>
    /// <returns>Whether the replay can begin from the newest checkpoint.</returns>
    public bool Conclude(out long buckets)
    {
        long since = _index.MaxBuckets;
        bool counts = _checkpoint == since;
        buckets = counts ? since : Math.Max(_before, since);
        return counts;
    }
}
