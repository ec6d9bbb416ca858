using System.Buffers;
using System.ComponentModel;
using Faster.Contracts;
using Faster.Sessions;
using Faster.Store.Large;
using Faster.Threads;

namespace Faster.Store;

/// <summary>
/// A session of the FASTER store. Emitted code wraps it in a session type with the user's key and value types.
/// </summary>
/// <remarks>As <see cref="HashSession"/>.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class FasterSession : HashSession, ICommitSession, ISequenceSession
{
    internal FasterSession(FasterStore store, string? name, SessionEntry? entry = null)
        : base(store.Core, name, entry) => Store = store;

    internal FasterStore Store { get; }

    /// <summary>
    /// Commits the store. All operations that this session issued before the call become durable, and possibly later
    /// ones, because the store chooses the commit point (paper 004 §2). The session may be closed meanwhile.
    /// </summary>
    /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
    /// <returns>The session's commit point.</returns>
    /// <exception cref="StorageException">The commit could not be written; no operation is lost.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task<CommitPoint> CommitAsync(CancellationToken cancellationToken = default) =>
        Core.Sessions.PointOfAsync(this, Store.CommitAsync(cancellationToken: cancellationToken))
            .OrCanceled(cancellationToken);

    /// <inheritdoc/>
    public ValueTask<Status> UpsertAsync<TKey>(
        scoped TKey key, ReadOnlySequence<byte> value, CancellationToken cancellationToken)
        where TKey : struct, IKey, allows ref struct =>
        SequenceOperations.UpsertAsync(this, key, value, cancellationToken);
}
