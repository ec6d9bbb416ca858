namespace Faster.Commits;

/// <summary>What a commit needs of a store's sessions, independent of the engine.</summary>
/// <remarks>Thread-safe.</remarks>
internal interface ICommitSessions
{
    /// <summary>Whether the sessions have done anything that the last commit does not cover.</summary>
    bool HasWork { get; }

    /// <summary>Finds a session in a unit: between several operations under one serial number.</summary>
    /// <returns>
    /// The session's name and its last serial number before the unit; null when there is no such session.
    /// </returns>
    (string? Name, long SerialNumber)? FindInUnit();

    /// <summary>
    /// Throws if a unit has failed, of which a commit that has not come to InProgress would hold a part.
    /// </summary>
    /// <exception cref="FasterException"><see cref="ErrorReason.UnitFailed"/>.</exception>
    void ThrowIfUnitFailed();

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
