namespace Faster.Commits;

/// <summary>What a commit needs of a store's sessions, whatever engine's they are.</summary>
/// <remarks>Thread-safe.</remarks>
internal interface ICommitSessions
{
    /// <summary>Whether there is something that the last commit does not hold.</summary>
    bool HasWork { get; }

    /// <summary>A session in the middle of several operations under one number, and its last number before.</summary>
    /// <returns>Null when there is none.</returns>
    (string? Name, long SerialNumber)? FindInUnit();

    /// <summary>
    /// The commit points of all sessions in the commit of a version; everybody inside an epoch has noted its own.
    /// </summary>
    CommitPoint[] Collect(long version);

    /// <summary>The commit whose points were collected last is durable: tells the sessions.</summary>
    /// <param name="version">Its version.</param>
    /// <param name="onFault">Hears of what a session's listener throws.</param>
    void OnCommitted(long version, Action<Exception> onFault);
}
