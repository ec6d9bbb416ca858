using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Checkpoints.Index;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.LogCommits;

/// <summary>
/// The hash index of a tier in commits: writes a checkpoint when one is due, and knows what a commit records of the
/// index (docs/internals/commit-capture.md).
/// </summary>
/// <remarks>Used by the coordinator alone.</remarks>
internal sealed class IndexCapture
{
    private static readonly ByteSize MinEvery = ByteSize.MiB(64);

    private readonly CommitFolder _folder;
    private readonly Tier _tier;
    private readonly BucketHistory _buckets;
    private IndexReference? _named;      // by the last commit
    private IndexReference? _new;        // the next commit will name it
    private bool _isHeld;                // so that the index is not resized while a commit is made

    /// <summary>Makes the part of an index that is new, or has been recovered.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="tier">The tier.</param>
    /// <param name="recovered">What the commit that was recovered has of the index, or null.</param>
    public IndexCapture(CommitFolder folder, Tier tier, CommittedIndex? recovered)
    {
        (_folder, _tier) = (folder, tier);
        _named = recovered?.Checkpoint;
        _buckets = new BucketHistory(tier.Index, recovered);
    }

    /// <summary>Whether the last commit names a checkpoint that the commit before it did not name.</summary>
    public bool HasNew { get; private set; }

    /// <summary>The bytes of the checkpoint that the next commit will name; 0 if it is not a new one.</summary>
    public long NewBytes => _new?.Bytes ?? 0;

    /// <summary>
    /// Holds off resizes if the index has shrunk: if it grew beside the commit, the commit would record the largest
    /// size that the index ever had.
    /// </summary>
    public async Task HoldAsync()
    {
        if (!_buckets.HasShrunk) return;
        await _tier.Index.Exclusion.WaitAsync().Here();
        _isHeld = true;
    }

    /// <summary>Whether the log has grown so much since the last checkpoint that the next one is due.</summary>
    public bool IsDue
    {
        get
        {
            long tail = _tier.Log.TailAddress;
            long every = _tier.Core.Options.IndexCheckpointEveryBytes.Bytes;
            if (every == 0) every = Math.Max(4 * _tier.Index.Bytes, MinEvery.Bytes);
            IndexReference? newest = _buckets.HasCheckpoint ? _new ?? _named : null;
            if (newest is null && _buckets.HasShrunk) return true;
            return tail - (newest?.StartAddress ?? _tier.Log.BeginAddress) >= every;
        }
    }

    /// <summary>Writes a checkpoint, which the next commit names.</summary>
    public async Task WriteAsync()
    {
        string name = StoreFileNames.Index(_tier.Core.Commits.Current.Version);
        DropNew();
        (IndexReference reference, long buckets) = await IndexCheckpointWriter.WriteAsync(
            _tier.Index, _tier.Core.Epochs, () => _tier.Log.TailAddress, _folder.Files, name, _folder.Identity,
            _tier.Cache, OnBegin, _isHeld).Here();
        _new = reference;
        _buckets.EndCheckpoint(buckets);
    }

    /// <summary>What the commit records of the index.</summary>
    public CommittedIndex Describe()
    {
        if (!_buckets.Conclude(out long buckets))
        {
            // The index has been larger since the checkpoint: chains separate in the larger index are joined in the
            // smaller one.
            DropNew();
            _named = null;
        }

        return new CommittedIndex { BucketCount = buckets, Checkpoint = _new ?? _named };
    }

    /// <summary>Called when a commit that was described here is durable.</summary>
    public void OnPublished(IndexReference? named)
    {
        HasNew = named is not null && named == _new;
        (_named, _new) = (named, null);
    }

    /// <summary>Allows the index to be resized again. Idempotent.</summary>
    public void End()
    {
        if (!_isHeld) return;
        _isHeld = false;
        _tier.Index.Exclusion.Release();
    }

    private void OnBegin()
    {
        _named = null;
        _buckets.BeginCheckpoint();
    }

    // Deletes a checkpoint that no commit has named, and that none will name.
    private void DropNew()
    {
        if (_new is not { } dropped) return;
        _new = null;
        _buckets.DropCheckpoint();
        _folder.Files.Delete(dropped.FileName);
    }
}
