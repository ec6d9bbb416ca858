using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A store whose commits capture a log and an index, each in its own way. Its options have <c>CommitKind</c>.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ILogCommitStore
{
    /// <summary>Makes all operations before the call durable, while operations continue.</summary>
    /// <param name="kind">How the commit captures the log; null for the kind that the options have.</param>
    /// <param name="withIndex">Whether the commit includes a new index checkpoint.</param>
    /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
    /// <exception cref="StorageException">The commit could not be written.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    Task<Commit> CommitAsync(CommitKind? kind, bool withIndex, CancellationToken cancellationToken);

    /// <summary>Takes a checkpoint of the index without a commit.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the checkpoint.</param>
    /// <exception cref="StorageException">The checkpoint could not be written.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    Task CheckpointIndexAsync(CancellationToken cancellationToken);
}
