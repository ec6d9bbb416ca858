using FASTER.core;

namespace Faster.Peer;

/// <summary>
/// The functions of a store of sums for the peer; a struct, so that it is called without indirection.
/// </summary>
internal readonly struct PeerFunctions<TAdder> : IFunctions<long, long, long, long, Empty>
    where TAdder : struct, IAdder
{
    /// <inheritdoc/>
    public bool SingleReader(ref long key, ref long input, ref long value, ref long dst, ref ReadInfo readInfo)
    {
        dst = value;
        return true;
    }

    /// <inheritdoc/>
    public bool ConcurrentReader(ref long key, ref long input, ref long value, ref long dst, ref ReadInfo readInfo)
    {
        dst = value;
        return true;
    }

    /// <inheritdoc/>
    public bool SingleWriter(
        ref long key, ref long input, ref long src, ref long dst, ref long output, ref UpsertInfo upsertInfo,
        WriteReason reason)
    {
        dst = src;
        return true;
    }

    /// <inheritdoc/>
    public bool ConcurrentWriter(
        ref long key, ref long input, ref long src, ref long dst, ref long output, ref UpsertInfo upsertInfo)
    {
        dst = src;
        return true;
    }

    /// <inheritdoc/>
    public bool InitialUpdater(ref long key, ref long input, ref long value, ref long output, ref RMWInfo rmwInfo)
    {
        value = input;
        return true;
    }

    /// <inheritdoc/>
    public bool InPlaceUpdater(ref long key, ref long input, ref long value, ref long output, ref RMWInfo rmwInfo)
    {
        TAdder.Add(ref value, input);
        return true;
    }

    /// <inheritdoc/>
    public bool CopyUpdater(
        ref long key, ref long input, ref long oldValue, ref long newValue, ref long output, ref RMWInfo rmwInfo)
    {
        newValue = oldValue + input;
        return true;
    }

    /// <inheritdoc/>
    public bool NeedInitialUpdate(ref long key, ref long input, ref long output, ref RMWInfo rmwInfo) => true;

    /// <inheritdoc/>
    public bool NeedCopyUpdate(ref long key, ref long input, ref long oldValue, ref long output, ref RMWInfo rmwInfo) =>
        true;

    /// <inheritdoc/>
    public bool SingleDeleter(ref long key, ref long value, ref DeleteInfo deleteInfo) => true;

    /// <inheritdoc/>
    public bool ConcurrentDeleter(ref long key, ref long value, ref DeleteInfo deleteInfo) => true;

    /// <inheritdoc/>
    public void PostSingleWriter(
        ref long key, ref long input, ref long src, ref long dst, ref long output, ref UpsertInfo upsertInfo,
        WriteReason reason)
    {
    }

    /// <inheritdoc/>
    public void PostInitialUpdater(ref long key, ref long input, ref long value, ref long output, ref RMWInfo rmwInfo)
    {
    }

    /// <inheritdoc/>
    public void PostCopyUpdater(
        ref long key, ref long input, ref long oldValue, ref long newValue, ref long output, ref RMWInfo rmwInfo)
    {
    }

    /// <inheritdoc/>
    public void PostSingleDeleter(ref long key, ref DeleteInfo deleteInfo)
    {
    }

    /// <inheritdoc/>
    public void DisposeSingleWriter(
        ref long key, ref long input, ref long src, ref long dst, ref long output, ref UpsertInfo upsertInfo,
        WriteReason reason)
    {
    }

    /// <inheritdoc/>
    public void DisposeCopyUpdater(
        ref long key, ref long input, ref long oldValue, ref long newValue, ref long output, ref RMWInfo rmwInfo)
    {
    }

    /// <inheritdoc/>
    public void DisposeInitialUpdater(
        ref long key, ref long input, ref long value, ref long output, ref RMWInfo rmwInfo)
    {
    }

    /// <inheritdoc/>
    public void DisposeSingleDeleter(ref long key, ref long value, ref DeleteInfo deleteInfo)
    {
    }

    /// <inheritdoc/>
    public void DisposeDeserializedFromDisk(ref long key, ref long value)
    {
    }

    /// <inheritdoc/>
    public void ReadCompletionCallback(
        ref long key, ref long input, ref long output, Empty ctx, Status status, RecordMetadata recordMetadata)
    {
    }

    /// <inheritdoc/>
    public void RMWCompletionCallback(
        ref long key, ref long input, ref long output, Empty ctx, Status status, RecordMetadata recordMetadata)
    {
    }

    /// <inheritdoc/>
    public void CheckpointCompletionCallback(int sessionID, string sessionName, CommitPoint commitPoint)
    {
    }
}
