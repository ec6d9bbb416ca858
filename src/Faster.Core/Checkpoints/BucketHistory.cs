using Faster.Contracts;
using Faster.Index;

namespace Faster.Checkpoints;

/// <summary>
/// The sizes that the index has had where a commit's replay goes: in an index of the largest of them no merge record of
/// the replay is needed, so that none is raised that has been undone (docs/COMMITS.md).
/// </summary>
/// <remarks>
/// Invariant: <c>_before</c> is not below any size that the index had from the log's begin up to the newest checkpoint,
/// and the index's own watch covers what came after. Used by whoever writes commits, one after another.
/// </remarks>
internal sealed class BucketHistory<TProbe>
    where TProbe : struct, IProbe
{
    private readonly HashIndex<TProbe> _index;
    private long _before;     // the most before the newest checkpoint of the index began, or the process
    private long _checkpoint; // the buckets of that checkpoint, or 0

    /// <summary>The history of an index that is new, or has been recovered.</summary>
    /// <param name="index">The index, not resized yet.</param>
    /// <param name="recovered">What was recovered of it, or null.</param>
    public BucketHistory(HashIndex<TProbe> index, CommittedIndex? recovered)
    {
        _index = index;
        index.WatchBucketCount();
        if (recovered is null) return;

        // A commit without a checkpoint has the most of all times; nothing is known of the time before a checkpoint.
        _before = recovered.Checkpoint is null ? recovered.BucketCount : HashBits.MaxBucketCount;
        if (recovered.Checkpoint is not null) _checkpoint = recovered.BucketCount;
    }

    /// <summary>
    /// Whether the index may have been larger than it is, so that a commit needs a checkpoint of it lest it record more
    /// buckets than there are.
    /// </summary>
    public bool HasShrunk => Math.Max(_before, _index.MostBuckets) > _index.State.LargestBucketCount;

    /// <summary>Whether the newest checkpoint has the size of the index, and no larger one was seen since.</summary>
    public bool HasCheckpoint =>
        _checkpoint == _index.MostBuckets && _checkpoint == _index.State.LargestBucketCount;

    /// <summary>A checkpoint of the index begins, which is not resized meanwhile; an older one is void.</summary>
    public void BeginCheckpoint()
    {
        _before = Math.Max(_before, _index.MostBuckets);
        _checkpoint = 0;
        _index.WatchBucketCount();
    }

    /// <summary>The checkpoint is written.</summary>
    public void EndCheckpoint(long buckets) => _checkpoint = buckets;

    /// <summary>The newest checkpoint is deleted.</summary>
    public void DropCheckpoint() => _checkpoint = 0;

    /// <summary>Decides what a commit records, all of whose records have been written.</summary>
    /// <param name="buckets">The most that the index had since the replay of the commit begins.</param>
    /// <returns>Whether the replay can begin from the newest checkpoint.</returns>
    public bool Conclude(out long buckets)
    {
        long since = _index.MostBuckets;
        bool counts = _checkpoint == since;
        buckets = counts ? since : Math.Max(_before, since);
        return counts;
    }
}
