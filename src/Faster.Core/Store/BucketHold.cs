using Faster.Checkpoints;
using Faster.Contracts;

namespace Faster;

/// <summary>The bucket latch that an attempt holds during a commit, if any (paper 004 §5.3). Not thread-safe.</summary>
internal struct BucketHold<TProbe>(BucketLatches<TProbe> latches)
    where TProbe : struct, IProbe
{
    private ulong _hash;
    private Kind _kind;

    private enum Kind : byte
    {
        None,
        Shared,
        Exclusive,
    }

    /// <summary>Takes a shared latch.</summary>
    /// <returns>False when an operation of the next version is changing the bucket.</returns>
    public bool TryEnterShared(ulong hash)
    {
        if (!latches.TryEnterShared(hash)) return false;
        (_hash, _kind) = (hash, Kind.Shared);
        return true;
    }

    /// <summary>Takes the exclusive latch.</summary>
    /// <returns>False when operations of the version are in the bucket, or another one is changing it.</returns>
    public bool TryEnterExclusive(ulong hash, long version)
    {
        if (!latches.TryEnterExclusive(hash, version)) return false;
        (_hash, _kind) = (hash, Kind.Exclusive);
        return true;
    }

    /// <summary>Gives back what is held.</summary>
    public void Leave()
    {
        if (_kind == Kind.Shared) latches.LeaveShared(_hash);
        else if (_kind == Kind.Exclusive) latches.LeaveExclusive(_hash);
        _kind = Kind.None;
    }
}
