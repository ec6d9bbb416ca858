namespace Faster.Commits;

/// <summary>What one commit does in its phases, apart from its participants.</summary>
/// <remarks>Called by <see cref="CommitPhases"/>, one call at a time.</remarks>
internal interface ICommitSteps
{
    /// <summary>Whether a session is in a unit: between several operations under one serial number.</summary>
    bool IsAnyInUnit { get; }

    /// <summary>Called when a phase has been published; its epoch is not safe yet.</summary>
    void OnPhase(CommitPhase phase);

    /// <summary>Collects the commit points of all sessions.</summary>
    void Collect();

    /// <summary>Waits for operations, and reports those that take too long.</summary>
    /// <param name="phase">Prepare: the units; WaitPending: the pending operations.</param>
    /// <param name="done">Completes when these operations have ended.</param>
    /// <exception cref="FasterException">A unit has failed: the commit would hold a part of it.</exception>
    Task WatchAsync(CommitPhase phase, Task done);

    /// <summary>Makes the commit durable; everything is captured and written.</summary>
    Task PublishAsync();

    /// <summary>Called when a step after the end of the version has failed.</summary>
    void OnFailed(Exception failure);
}
