using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A session with a name, serial numbers and commit points.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ICommitSession : IEngineSession
{
    /// <summary>Raised with each new commit point, in order, on a thread of the store.</summary>
    event Action<CommitPoint>? Committed;

    /// <summary>The name by which the session is continued after a recovery, or null.</summary>
    string? Name { get; }

    /// <summary>The serial number of the last accepted operation, carried out or pending.</summary>
    long SerialNumber { get; }

    /// <summary>The session's point in the commit from which the store was opened.</summary>
    CommitPoint RecoveredPoint { get; }

    /// <summary>The session's point in the last commit; <see cref="RecoveredPoint"/> before the first one.</summary>
    CommitPoint LastCommit { get; }

    /// <summary>Sets the serial number of the next operation.</summary>
    /// <param name="serialNumber">
    /// A number above <see cref="SerialNumber"/>, or an excluded number to reissue.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The number is neither.</exception>
    void SetNextSerialNumber(long serialNumber);

    /// <summary>Commits the store, so that all operations of this session before the call become durable.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
    /// <returns>The session's commit point.</returns>
    /// <exception cref="StorageException">The commit could not be written; no operation is lost.</exception>
    Task<CommitPoint> CommitAsync(CancellationToken cancellationToken);

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
