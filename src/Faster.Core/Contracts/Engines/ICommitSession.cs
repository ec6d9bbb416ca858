using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A session with a name, serial numbers and commit points.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ICommitSession : IEngineSession, ICommittingSession
{
    /// <summary>Returns the session's commit points as they become durable, until the session is closed.</summary>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    IAsyncEnumerable<CommitPoint> CommitPointsAsync(CancellationToken cancellationToken);

    /// <summary>As <see cref="IEngineSession.ReadBatch"/>, under serial numbers.</summary>
    /// <param name="batch">The operations, which receive their results.</param>
    /// <param name="serialNumber">
    /// One serial number for the whole batch, so that a commit covers all of it or nothing. Null: each operation gets a
    /// number of its own.
    /// </param>
    void ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct;

    /// <inheritdoc cref="ReadBatch{TKey, TOperation, TBatch}"/>
    void UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct;

    /// <inheritdoc cref="ReadBatch{TKey, TOperation, TBatch}"/>
    void RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct;

    /// <inheritdoc cref="ReadBatch{TKey, TOperation, TBatch}"/>
    void DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct;
}
