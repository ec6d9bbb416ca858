using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// What the session of every engine offers: the four operations, alone, with bytes that the engine pins, and in
/// batches.
/// </summary>
/// <remarks>
/// Not thread-safe: a session may move between threads, but its calls must not overlap. An engine specializes its code
/// for each key and operation and calls the operation's methods directly. After an exception of a user function the
/// session can be used, and the operation has changed nothing.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IEngineSession : ISession
{
    /// <summary>Reads a value by the operation's reader.</summary>
    /// <returns>
    /// <see cref="Status.Ok"/>, or <see cref="Status.NotFound"/> without a call of the reader;
    /// <see cref="Status.Pending"/> only in an engine with <see cref="IPendingSession"/>, once the operation is
    /// captured.
    /// </returns>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    Status Read<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation;

    /// <summary>Sets a value blindly, in place if the operation can, or by a new record.</summary>
    /// <returns><see cref="Status.Ok"/>, whether or not there was a record.</returns>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="LimitExceededException">The record is too large, or memory is used up.</exception>
    Status Upsert<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation;

    /// <summary>Updates a value by the operation's updaters, or makes the first value of its key.</summary>
    /// <returns>
    /// <see cref="Status.Created"/> if the value of <see cref="IRmwOperation.InitialUpdate"/> was stored, because the
    /// key had no live record; otherwise <see cref="Status.Ok"/>. A delta that is merged later is <c>Ok</c>.
    /// </returns>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="LimitExceededException">The record is too large, or memory is used up.</exception>
    Status Rmw<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation;

    /// <summary>
    /// Deletes a key. <see cref="Status.NotFound"/> only if the key is known to be absent; a blind deletion is
    /// <see cref="Status.Ok"/>.
    /// </summary>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    Status Delete<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation;

    /// <summary>
    /// Reads by an operation that refers to its caller's bytes. The engine pins them for the duration of the call, so
    /// that emitted code needs no unsafe block.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="keyBytes">The key's bytes if a user function takes them, or nothing.</param>
    /// <param name="operand">The bytes of the input, or nothing.</param>
    /// <param name="operation">The operation.</param>
    Status Read<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation, IBorrowingOperation;

    /// <summary>Sets a value by an operation that refers to its caller's bytes.</summary>
    /// <inheritdoc cref="Read{TKey, TOperation}(TKey, ReadOnlySpan{byte}, ReadOnlySpan{byte}, ref TOperation)"/>
    Status Upsert<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation, IBorrowingOperation;

    /// <summary>Updates a value by an operation that refers to its caller's bytes.</summary>
    /// <inheritdoc cref="Read{TKey, TOperation}(TKey, ReadOnlySpan{byte}, ReadOnlySpan{byte}, ref TOperation)"/>
    Status Rmw<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation, IBorrowingOperation;

    /// <summary>
    /// Runs the operations of a batch in order and returns when all are done. A user function that throws ends the
    /// batch at its operation.
    /// </summary>
    /// <param name="batch">The operations, which receive their results.</param>
    void ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct;

    /// <inheritdoc cref="ReadBatch{TKey, TOperation, TBatch}"/>
    void UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct;

    /// <inheritdoc cref="ReadBatch{TKey, TOperation, TBatch}"/>
    void RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct;

    /// <inheritdoc cref="ReadBatch{TKey, TOperation, TBatch}"/>
    void DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct;

    /// <summary>
    /// Announces that an operation on a key comes soon, so that the engine fetches into the processor's caches what it
    /// will need. A hint: it changes no result and no record, and an engine that has nothing to fetch does nothing.
    /// </summary>
    /// <param name="key">The key; it need not exist, and no operation need follow.</param>
    void Prefetch<TKey>(scoped TKey key)
        where TKey : struct, IKey, allows ref struct;
}
