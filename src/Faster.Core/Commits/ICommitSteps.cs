namespace Faster.Commits;

/// <summary>What one commit does besides its participants, in the phases that it passes.</summary>
/// <remarks>Called by <see cref="CommitPhases{TProbe}"/>, one call at a time.</remarks>
internal interface ICommitSteps
{
    /// <summary>Whether a session is in the middle of several operations under one number.</summary>
    bool IsAnyInUnit { get; }

    /// <summary>A phase has been published; its epoch is not safe yet.</summary>
    void OnPhase(CommitPhase phase);

    /// <summary>Collects the commit points of all sessions.</summary>
    void Collect();

    /// <summary>Waits for operations, and tells of those that take too long.</summary>
    /// <param name="phase">Prepare: those under one number; WaitPending: those that are pending.</param>
    /// <param name="done">Ends when they have ended.</param>
    Task WatchAsync(CommitPhase phase, Task done);

    /// <summary>All is captured and written: makes it a commit.</summary>
    Task PublishAsync();

    /// <summary>Something has failed since the version was ended.</summary>
    void OnFailed(Exception failure);
}
