using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A store that commits: it becomes durable up to a commit point of each session, and continues sessions by name. Its
/// options have <c>CommitOnDispose</c>.
/// </summary>
/// <typeparam name="TStore">The type of the store.</typeparam>
/// <typeparam name="TSession">The type of its sessions.</typeparam>
/// <typeparam name="TOptions">The type of its options.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ICommitStore<TStore, TSession, TOptions> : IFolderStore<TStore, TOptions>
    where TStore : class
    where TSession : class, ICommitSession
    where TOptions : class
{
    /// <summary>Raised after each commit, in order, on a thread of the store.</summary>
    event Action<Commit>? Committed;

    /// <summary>What opening the store has recovered; null if there was no commit.</summary>
    RecoveryReport? Recovery { get; }

    /// <summary>Recovers a store from the last commit in its folder, which must have one.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="options">The options.</param>
    /// <param name="schema">The layout of the records.</param>
    /// <param name="progress">Receives the progress of the recovery on threads of the store; or null.</param>
    /// <param name="cancellationToken">Cancels the recovery, which changes nothing in the folder.</param>
    /// <exception cref="StoreOpenException">The folder has no commit or cannot be used.</exception>
    /// <exception cref="DamagedDataException">Data in the folder is damaged.</exception>
    static abstract ValueTask<TStore> RecoverAsync(
        string path, TOptions options, RecordSchema schema, IProgress<RecoveryProgress>? progress,
        CancellationToken cancellationToken);

    /// <summary>Makes all operations before the call durable, while operations continue.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
    /// <exception cref="StorageException">The commit could not be written.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    Task<Commit> CommitAsync(CancellationToken cancellationToken);

    /// <summary>Starts a session, and continues it if its name was committed.</summary>
    /// <param name="name">A name that no open session has, or null for a session that cannot be continued.</param>
    /// <exception cref="SessionMisuseException">The name is in use.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    TSession StartSession(string? name);

    /// <inheritdoc cref="StartSession(string?)"/>
    /// <param name="id">A Guid that no open session has.</param>
    TSession StartSession(Guid id);

    /// <summary>Continues a session that was committed.</summary>
    /// <param name="name">The session's name.</param>
    /// <param name="point">The session's commit point. Reissue all operations after it.</param>
    /// <exception cref="SessionMisuseException">The name is in use, or unknown.</exception>
    TSession ContinueSession(string name, out CommitPoint point);

    /// <inheritdoc cref="ContinueSession(string, out CommitPoint)"/>
    /// <param name="id">The session's Guid.</param>
    /// <param name="point">The session's commit point. Reissue all operations after it.</param>
    TSession ContinueSession(Guid id, out CommitPoint point);

    /// <summary>Forgets a named session that is not open. Later commits do not include it.</summary>
    /// <param name="name">The session's name; for a Guid, its text in the format "D".</param>
    /// <returns>Whether the session was known.</returns>
    /// <exception cref="SessionMisuseException">The session is open.</exception>
    bool ForgetSession(string name);
}
