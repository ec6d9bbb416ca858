using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines.Transactional.Running;
using Faster.Log.Records;
using Faster.Sessions;
using Faster.Tables;

namespace Faster.Engines.Transactional;

/// <summary>
/// Operations that borrow bytes, and batches; and the contract, whose members emitted code alone uses.
/// </summary>
public unsafe partial class TransactionalSession
{
    private const int PartSize = 32;

    /// <inheritdoc/>
    protected internal Status Read<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation, IBorrowingOperation =>
        Pinned<ReadStep<TOperation>, TKey, TOperation>(key, keyBytes, operand, ref operation);

    /// <inheritdoc/>
    protected internal Status Upsert<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation, IBorrowingOperation =>
        Pinned<UpdateStep<TOperation, Upserting<TOperation>>, TKey, TOperation>(key, keyBytes, operand, ref operation);

    /// <inheritdoc/>
    protected internal Status Rmw<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation, IBorrowingOperation =>
        Pinned<UpdateStep<TOperation, Modifying<TOperation>>, TKey, TOperation>(key, keyBytes, operand, ref operation);

    /// <inheritdoc/>
    protected internal void ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        RunOperations<ReadStep<TOperation>, TKey, TOperation, TBatch>(ref batch, serialNumber);

    /// <inheritdoc/>
    protected internal void UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        RunOperations<UpdateStep<TOperation, Upserting<TOperation>>, TKey, TOperation, TBatch>(ref batch, serialNumber);

    /// <inheritdoc/>
    protected internal void RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        RunOperations<UpdateStep<TOperation, Modifying<TOperation>>, TKey, TOperation, TBatch>(ref batch, serialNumber);

    /// <inheritdoc/>
    protected internal void DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        RunOperations<DeleteStep<TOperation>, TKey, TOperation, TBatch>(ref batch, serialNumber);

    /// <summary>
    /// Announces that an operation on a key comes soon: fetches its bucket into the processor's caches. A hint: it
    /// changes nothing, throws nothing, and does nothing in a session that is closed.
    /// </summary>
    /// <param name="key">The key; it need not exist, and no operation need follow.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected internal void Prefetch<TKey>(scoped TKey key)
        where TKey : struct, IKey, allows ref struct => _store.Tier.Index.Prefetch(key.Hash(_seed));

    private Status Pinned<TStep, TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return Execute<TStep, TKey, TOperation>(key, ref operation);
        }
    }

    // In parts, the buckets of each prefetched.
    private void RunOperations<TStep, TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        using CommitUnit unit = serialNumber is { } serial ? BeginUnit(serial) : default;
        using SessionGate.Call call = BeginCall();
        ulong* hashes = stackalloc ulong[PartSize];
        int count = batch.Count;
        try
        {
            for (int start = 0; start < count; start += PartSize)
            {
                int part = Math.Min(PartSize, count - start);
                for (int i = 0; i < part; i++)
                {
                    hashes[i] = batch.GetKey(start + i).Hash(_seed);
                    _store.Tier.Index.Prefetch(hashes[i]);
                }

                for (int i = 0; i < part; i++)
                {
                    TOperation operation = batch.GetOperation(start + i);
                    Status status = ExecuteFurther<TStep, TKey, TOperation>(
                        Slot, batch.GetKey(start + i), hashes[i], ref operation);
                    batch.SetResult(start + i, status, ref operation);
                }
            }
        }
        finally
        {
            if (TStep.Access == RecordAccess.Write) AcknowledgeBatch();
        }

        unit.Complete();
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

    void ICommitSession.ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber) =>
        ReadBatch<TKey, TOperation, TBatch>(ref batch, serialNumber);

    void ICommitSession.UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber) =>
        UpsertBatch<TKey, TOperation, TBatch>(ref batch, serialNumber);

    void ICommitSession.RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber) =>
        RmwBatch<TKey, TOperation, TBatch>(ref batch, serialNumber);

    void ICommitSession.DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber) =>
        DeleteBatch<TKey, TOperation, TBatch>(ref batch, serialNumber);

    void IEngineSession.Prefetch<TKey>(scoped TKey key) => Prefetch(key);

    TransactionStatus ITransactionSession.Run<TKey, TKeys, TTransaction>(
        scoped ref TKeys keys, ref TTransaction transaction) =>
        Run<TKey, TKeys, TTransaction>(ref keys, ref transaction);

    TransactionStatus ITransactionSession.RunDynamic<TTransaction>(ref TTransaction transaction) =>
        RunDynamic(ref transaction);

    void ITransactionSession.RunBatch<TKey, TKeys, TTransaction, TBatch>(scoped ref TBatch batch, long? serialNumber) =>
        RunBatch<TKey, TKeys, TTransaction, TBatch>(ref batch, serialNumber);
}
