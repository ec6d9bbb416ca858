namespace Faster.Commits;

/// <summary>What a commit needs of a store's sessions, independent of the engine.</summary>
/// <remarks>Thread-safe.</remarks>
internal interface ICommitSessions
{
    /// <summary>Whether the sessions have done anything that the last commit does not cover.</summary>
    bool HasWork { get; }

    /// <summary>Finds a session inside a batch of operations under one serial number.</summary>
    /// <returns>
    /// The session's name and its last serial number before the batch; null when there is no such session.
    /// </returns>
    (string? Name, long SerialNumber)? FindInUnit();

    /// <summary>
    /// Collects the commit points of all sessions in the commit of a version. All sessions inside an epoch have
    /// recorded theirs.
    /// </summary>
    CommitPoint[] Collect(long version);

    /// <summary>Informs the sessions that the commit whose points were collected last is durable.</summary>
    /// <param name="version">The commit's version.</param>
    /// <param name="onFault">Called with what a session's listener throws.</param>
    void OnCommitted(long version, Action<Exception> onFault);
}
