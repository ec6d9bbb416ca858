using System.Buffers;
using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A session that takes values of any length, piece by piece.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ISequenceSession : IEngineSession
{
    /// <summary>Sets a key's value blindly, as a whole: until it is complete, readers find the old value.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; it must not change until the task completes.</param>
    /// <param name="cancellationToken">
    /// Cancels the operation while the value is being written; a canceled operation has changed nothing.
    /// </param>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="LimitExceededException">The value is too large for the store.</exception>
    /// <exception cref="OperationCanceledException">The operation was canceled.</exception>
    ValueTask<Status> UpsertAsync<TKey>(
        scoped TKey key, ReadOnlySequence<byte> value, CancellationToken cancellationToken)
        where TKey : struct, IKey, allows ref struct;
}
