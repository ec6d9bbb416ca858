using System.Runtime.CompilerServices;
using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>
/// The functions of a store of sums for the peer; a struct, so that it is called without indirection.
/// </summary>
/// <typeparam name="TValue">Values; their first eight bytes are the sum.</typeparam>
/// <typeparam name="TAdder">How an update in place adds.</typeparam>
/// <param name="sink">Takes what went pending.</param>
internal readonly struct PeerFunctions<TValue, TAdder>(PeerSink sink) : IFunctions<long, TValue, long, TValue, long>
    where TValue : unmanaged
    where TAdder : struct, IAdder
{
    /// <inheritdoc/>
    public bool SingleReader(ref long key, ref long input, ref TValue value, ref TValue dst, ref ReadInfo readInfo)
    {
        dst = value;
        return true;
    }

    /// <inheritdoc/>
    public bool ConcurrentReader(ref long key, ref long input, ref TValue value, ref TValue dst, ref ReadInfo readInfo)
    {
        dst = value;
        return true;
    }

    /// <inheritdoc/>
    public bool SingleWriter(
        ref long key, ref long input, ref TValue src, ref TValue dst, ref TValue output, ref UpsertInfo upsertInfo,
        WriteReason reason)
    {
        dst = src;
        return true;
    }

    /// <inheritdoc/>
    public bool ConcurrentWriter(
        ref long key, ref long input, ref TValue src, ref TValue dst, ref TValue output, ref UpsertInfo upsertInfo)
    {
        dst = src;
        return true;
    }

    /// <inheritdoc/>
    public bool InitialUpdater(ref long key, ref long input, ref TValue value, ref TValue output, ref RMWInfo rmwInfo)
    {
        value = default;
        ValueWord.Set(ref value, input);
        return true;
    }

    /// <inheritdoc/>
    public bool InPlaceUpdater(ref long key, ref long input, ref TValue value, ref TValue output, ref RMWInfo rmwInfo)
    {
        TAdder.Add(ref Unsafe.As<TValue, long>(ref value), input);
        return true;
    }

    /// <inheritdoc/>
    public bool CopyUpdater(
        ref long key, ref long input, ref TValue oldValue, ref TValue newValue, ref TValue output, ref RMWInfo rmwInfo)
    {
        newValue = oldValue;
        ValueWord.Set(ref newValue, ValueWord.Of(ref oldValue) + input);
        return true;
    }

    /// <inheritdoc/>
    public bool NeedInitialUpdate(ref long key, ref long input, ref TValue output, ref RMWInfo rmwInfo) => true;

    /// <inheritdoc/>
    public bool NeedCopyUpdate(
        ref long key, ref long input, ref TValue oldValue, ref TValue output, ref RMWInfo rmwInfo) =>
        true;

    /// <inheritdoc/>
    public bool SingleDeleter(ref long key, ref TValue value, ref DeleteInfo deleteInfo) => true;

    /// <inheritdoc/>
    public bool ConcurrentDeleter(ref long key, ref TValue value, ref DeleteInfo deleteInfo) => true;

    /// <inheritdoc/>
    public void PostSingleWriter(
        ref long key, ref long input, ref TValue src, ref TValue dst, ref TValue output, ref UpsertInfo upsertInfo,
        WriteReason reason)
    {
    }

    /// <inheritdoc/>
    public void PostInitialUpdater(
        ref long key, ref long input, ref TValue value, ref TValue output, ref RMWInfo rmwInfo)
    {
    }

    /// <inheritdoc/>
    public void PostCopyUpdater(
        ref long key, ref long input, ref TValue oldValue, ref TValue newValue, ref TValue output, ref RMWInfo rmwInfo)
    {
    }

    /// <inheritdoc/>
    public void PostSingleDeleter(ref long key, ref DeleteInfo deleteInfo)
    {
    }

    /// <inheritdoc/>
    public void DisposeSingleWriter(
        ref long key, ref long input, ref TValue src, ref TValue dst, ref TValue output, ref UpsertInfo upsertInfo,
        WriteReason reason)
    {
    }

    /// <inheritdoc/>
    public void DisposeCopyUpdater(
        ref long key, ref long input, ref TValue oldValue, ref TValue newValue, ref TValue output, ref RMWInfo rmwInfo)
    {
    }

    /// <inheritdoc/>
    public void DisposeInitialUpdater(
        ref long key, ref long input, ref TValue value, ref TValue output, ref RMWInfo rmwInfo)
    {
    }

    /// <inheritdoc/>
    public void DisposeSingleDeleter(ref long key, ref TValue value, ref DeleteInfo deleteInfo)
    {
    }

    /// <inheritdoc/>
    public void DisposeDeserializedFromDisk(ref long key, ref TValue value)
    {
    }

    /// <inheritdoc/>
    public void ReadCompletionCallback(
        ref long key, ref long input, ref TValue output, long ctx, Status status, RecordMetadata recordMetadata) =>
        sink.EndRead(status, ValueWord.Of(ref output), ctx);

    /// <inheritdoc/>
    public void RMWCompletionCallback(
        ref long key, ref long input, ref TValue output, long ctx, Status status, RecordMetadata recordMetadata) =>
        sink.EndUpdate(status, ctx);

    /// <inheritdoc/>
    public void CheckpointCompletionCallback(int sessionID, string sessionName, CommitPoint commitPoint)
    {
    }
}
