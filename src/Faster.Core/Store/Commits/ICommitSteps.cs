using Faster.Commits;

namespace Faster;

/// <summary>What one commit does in the phases that <see cref="CommitPhases{TProbe}"/> passes.</summary>
/// <remarks>Called in the order of the members, one call at a time.</remarks>
internal interface ICommitSteps
{
    /// <summary>Reads where the log begins: it does not rise before all of the version is done.</summary>
    void NoteBegin();

    /// <summary>A phase has been published; its epoch is not safe yet.</summary>
    void OnPhase(CommitPhase phase);

    /// <summary>Whether a session is in the middle of several operations under one number.</summary>
    bool IsAnyInUnit { get; }

    /// <summary>Collects the commit points of all sessions.</summary>
    void Collect();

    /// <summary>Waits for operations, and tells of those that take too long.</summary>
    /// <param name="phase">Prepare: those under one number; WaitPending: those that are pending.</param>
    /// <param name="done">Ends when they have ended.</param>
    Task WatchAsync(CommitPhase phase, Task done);

    /// <summary>
    /// Captures the version, takes the store to rest when it has been captured, and makes it durable.
    /// </summary>
    Task CaptureAsync();

    /// <summary>Ends the commit, whatever has become of it.</summary>
    void End();

    /// <summary>Whether a sync has failed.</summary>
    bool IsPoisoned { get; }
}
