using Faster.Commits;

namespace Faster.Operations;

/// <summary>The bucket latch that an attempt holds during a commit, if any (paper 004 §5.3). Not thread-safe.</summary>
internal struct HeldBucketLatch(BucketLatches latches)
{
    private ulong _hash;
    private Kind _kind;
    private long _against;
    private bool _isBarred;

    private enum Kind : byte
    {
        None,
        Shared,
        Exclusive,
    }

    /// <summary>Whether an attempt may supersede records without a latch.</summary>
    public readonly bool IsFree => _against == 0 && !_isBarred;

    /// <summary>Sets what the following attempts need of a bucket.</summary>
    /// <param name="against">The version whose operations must have left the bucket; 0 if none is left.</param>
    /// <param name="mayCopy">Whether an attempt may supersede records.</param>
    public void Set(long against, bool mayCopy) => (_against, _isBarred) = (against, !mayCopy);

    /// <summary>Takes a shared latch.</summary>
    /// <returns>False when an operation of the next version is changing the bucket.</returns>
    public bool TryEnterShared(ulong hash)
    {
        if (!latches.TryEnterShared(hash)) return false;
        (_hash, _kind) = (hash, Kind.Shared);
        return true;
    }

    /// <summary>Takes the exclusive latch, where one is needed.</summary>
    /// <returns>
    /// False when operations of the version are in the bucket, when another operation is changing the bucket, or when
    /// the commit is just ending.
    /// </returns>
    public bool TryEnterExclusive(ulong hash)
    {
        if (_isBarred) return false;
        if (_against == 0) return true;
        if (!latches.TryEnterExclusive(hash, _against)) return false;
        (_hash, _kind) = (hash, Kind.Exclusive);
        return true;
    }

    /// <summary>Releases the latch that is held, if any.</summary>
    public void Leave()
    {
        if (_kind == Kind.Shared) latches.LeaveShared(_hash);
        else if (_kind == Kind.Exclusive) latches.LeaveExclusive(_hash);
        _kind = Kind.None;
    }
}
