using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Operations;
using Faster.Sessions;

namespace Faster.LogSessions;

/// <summary>
/// The capabilities of sessions over logs (docs/internals/engine-contract.md), and those of their members that exist
/// for emitted code only.
/// </summary>
public abstract unsafe partial class HashSession : ICommitSession, IPendingSession, IExpirySession, ISequenceSession
{
    /// <inheritdoc/>
    protected internal Status Read<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation, IBorrowingOperation =>
        Pinned<ReadAlgorithm<HashEntries, TOperation>, TKey, TOperation>(key, keyBytes, operand, ref operation);

    /// <inheritdoc/>
    protected internal Status Upsert<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation, IBorrowingOperation =>
        Pinned<UpsertAlgorithm<HashEntries, TOperation>, TKey, TOperation>(key, keyBytes, operand, ref operation);

    /// <inheritdoc/>
    protected internal Status Rmw<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation, IBorrowingOperation =>
        Pinned<RmwAlgorithm<HashEntries, TOperation>, TKey, TOperation>(key, keyBytes, operand, ref operation);

    /// <summary>Sets a key's value blindly, to a sequence of any length.</summary>
    /// <inheritdoc cref="ISequenceSession.UpsertAsync"/>
    protected internal ValueTask<Status> UpsertAsync<TKey>(
        scoped TKey key, ReadOnlySequence<byte> value, CancellationToken cancellationToken)
        where TKey : struct, IKey, allows ref struct =>
        SequenceOperations.UpsertAsync(this, key, value, cancellationToken);

    /// <summary>
    /// Announces that an operation on a key comes soon: fetches its bucket into the processor's caches, and the record
    /// of the key that was announced <see cref="KeysAhead.Lag"/> calls before. A hint: it changes nothing, throws
    /// nothing, and does nothing in a session that is closed. The last keys of a loop need none.
    /// </summary>
    /// <param name="key">The key; it need not exist, and no operation need follow.</param>
    /// <remarks>
    /// The bucket is not read, only its address computed, from the session's slot: without an epoch its table may have
    /// been freed, but the processor ignores a hint for memory that is not mapped. The second stage reads the bucket,
    /// so it needs the quiet epoch, as a hit does; of the record it computes the address only.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected internal void Prefetch<TKey>(scoped TKey key)
        where TKey : struct, IKey, allows ref struct
    {
        if (!Sse.IsSupported) return;
        QuietView* view = QuietView.Of(Slot);
        ulong hash = view->HashOf(key);
        view->Prefetch(hash);
        PrefetchRecord(KeysAhead.Of(Slot)->Add(hash), CallerThread.StackPage);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Status Pinned<TAlgorithm, TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return Execute<TAlgorithm, TKey, TOperation>(key, ref operation);
        }
    }

    private void PrefetchRecord(ulong hash, nint page)
    {
        if (TryEnterForHint(page, out bool isCall))
        {
            long address = QuietView.Of(Slot)->FindFirst(hash);
            if (address != 0) _attempt.Log.Prefetch(address);
            LeaveHint(isCall);
        }

        GC.KeepAlive(this); // the slot is this session's
    }

    Status IEngineSession.Read<TKey, TOperation>(scoped TKey key, ref TOperation operation) =>
        Read(key, ref operation);

    Status IEngineSession.Upsert<TKey, TOperation>(scoped TKey key, ref TOperation operation) =>
        Upsert(key, ref operation);

    Status IEngineSession.Rmw<TKey, TOperation>(scoped TKey key, ref TOperation operation) =>
        Rmw(key, ref operation);

    Status IEngineSession.Delete<TKey, TOperation>(scoped TKey key, ref TOperation operation) =>
        Delete(key, ref operation);

    Status IEngineSession.Read<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation) =>
        Read(key, keyBytes, operand, ref operation);

    Status IEngineSession.Upsert<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation) =>
        Upsert(key, keyBytes, operand, ref operation);

    Status IEngineSession.Rmw<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation) =>
        Rmw(key, keyBytes, operand, ref operation);

    void IEngineSession.ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch) =>
        ReadBatch<TKey, TOperation, TBatch>(ref batch);

    void IEngineSession.UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch) =>
        UpsertBatch<TKey, TOperation, TBatch>(ref batch);

    void IEngineSession.RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch) =>
        RmwBatch<TKey, TOperation, TBatch>(ref batch);

    void IEngineSession.DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch) =>
        DeleteBatch<TKey, TOperation, TBatch>(ref batch);

    void IEngineSession.Prefetch<TKey>(scoped TKey key) => Prefetch(key);

    void ICommitSession.ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber) =>
        ReadBatch<TKey, TOperation, TBatch>(ref batch, serialNumber);

    void ICommitSession.UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber) =>
        UpsertBatch<TKey, TOperation, TBatch>(ref batch, serialNumber);

    void ICommitSession.RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber) =>
        RmwBatch<TKey, TOperation, TBatch>(ref batch, serialNumber);

    void ICommitSession.DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber) =>
        DeleteBatch<TKey, TOperation, TBatch>(ref batch, serialNumber);

    ValueTask<Status> ISequenceSession.UpsertAsync<TKey>(
        scoped TKey key, ReadOnlySequence<byte> value, CancellationToken cancellationToken) =>
        UpsertAsync(key, value, cancellationToken);
}
