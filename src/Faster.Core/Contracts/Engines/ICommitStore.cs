using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A store that commits: it becomes durable up to a commit point of each session, and continues sessions by name. Its
/// options have <c>CommitOnDispose</c>.
/// </summary>
/// <typeparam name="TSession">The type of its sessions.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ICommitStore<TSession> : IFolderStore, ICommittingStore
    where TSession : class, ICommitSession
{
    /// <summary>
    /// Starts a session; all operations go through sessions. If a session of this name was committed, it is continued
    /// from its commit point, <see cref="ICommittingSession.RecoveredPoint"/>.
    /// </summary>
    /// <param name="name">A name that no open session has, or null for a session that cannot be continued.</param>
    /// <exception cref="SessionMisuseException">The name is in use.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    TSession StartSession(string? name);

    /// <summary>Starts a session whose name is a Guid, and continues it if it was committed.</summary>
    /// <param name="id">A Guid that no open session has.</param>
    /// <exception cref="SessionMisuseException">The Guid is in use.</exception>
    TSession StartSession(Guid id);

    /// <summary>Continues a session that was committed. Fails if the name is unknown.</summary>
    /// <param name="name">The session's name.</param>
    /// <param name="point">The session's commit point. Reissue all operations after it.</param>
    /// <exception cref="SessionMisuseException">The name is in use, or unknown.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    TSession ContinueSession(string name, out CommitPoint point);

    /// <summary>Continues a session whose name is a Guid. Fails if the Guid is unknown.</summary>
    /// <param name="id">The session's Guid.</param>
    /// <param name="point">The session's commit point. Reissue all operations after it.</param>
    /// <exception cref="SessionMisuseException">The Guid is in use, or unknown.</exception>
    TSession ContinueSession(Guid id, out CommitPoint point);
}
