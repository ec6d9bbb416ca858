using System.Buffers;
using System.ComponentModel;
using Faster.Contracts;
using Faster.Sessions;
using Faster.Store.Large;
using Faster.Threads;

namespace Faster.Tiered;

/// <summary>
/// A session of the tiered store. Operations work on the hot tier; a search that finds nothing there goes on in the
/// cold one (paper 003 §5.3).
/// </summary>
/// <remarks>As <see cref="HashSession"/>.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class TieredSession : HashSession, ICommitSession, ISequenceSession
{
    private readonly TieredStore _store;

    internal TieredSession(TieredStore store, string? name, SessionEntry? entry = null)
        : base(store.Core, name, entry) => _store = store;

    /// <summary>
    /// Commits the store. All operations that this session issued before the call become durable, and possibly later
    /// ones, because the store chooses the commit point (paper 004 §2). The session may be closed meanwhile.
    /// </summary>
    /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
    /// <returns>The session's commit point.</returns>
    /// <exception cref="StorageException">The commit could not be written; no operation is lost.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task<CommitPoint> CommitAsync(CancellationToken cancellationToken = default) =>
        Core.Sessions.PointOfAsync(this, _store.CommitAsync(cancellationToken: cancellationToken))
            .OrCanceled(cancellationToken);

    /// <inheritdoc/>
    public ValueTask<Status> UpsertAsync<TKey>(
        scoped TKey key, ReadOnlySequence<byte> value, CancellationToken cancellationToken)
        where TKey : struct, IKey, allows ref struct =>
        SequenceOperations.UpsertAsync(this, key, value, cancellationToken);
}
