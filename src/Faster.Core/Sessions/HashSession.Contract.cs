using Faster.Contracts;

namespace Faster.Sessions;

/// <summary>
/// The capabilities of sessions over logs (docs/internals/engine-contract.md), and those of their members that exist
/// for emitted code only.
/// </summary>
public abstract unsafe partial class HashSession<TProbe> : IPendingSession, IExpirySession
{
    /// <inheritdoc/>
    public Status Read<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return Read(key, ref operation);
        }
    }

    /// <inheritdoc/>
    public Status Upsert<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return Upsert(key, ref operation);
        }
    }

    /// <inheritdoc/>
    public Status Rmw<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return Rmw(key, ref operation);
        }
    }

    void IEngineSession.ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch) =>
        ReadBatch<TKey, TOperation, TBatch>(ref batch);

    void IEngineSession.UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch) =>
        UpsertBatch<TKey, TOperation, TBatch>(ref batch);

    void IEngineSession.RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch) =>
        RmwBatch<TKey, TOperation, TBatch>(ref batch);

    void IEngineSession.DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch) =>
        DeleteBatch<TKey, TOperation, TBatch>(ref batch);
}
