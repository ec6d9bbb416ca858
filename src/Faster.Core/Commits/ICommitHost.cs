using Faster.Checkpoints;

namespace Faster.Commits;

/// <summary>The store whose commits a coordinator makes.</summary>
/// <remarks>Called by the coordinator alone.</remarks>
internal interface ICommitHost
{
    /// <summary>The store's time, in Unix milliseconds.</summary>
    long Clock { get; }

    /// <summary>
    /// Called when a phase, or the poisoned state, has been published; its epoch is not safe yet.
    /// </summary>
    void OnPhase(CommitPhase phase);

    /// <summary>Called when a commit is durable, before the sessions are informed.</summary>
    void OnDurable(Commit commit, CommitRecord record);

    /// <summary>Called when a commit is durable and all sessions are informed.</summary>
    void OnCommitted(Commit commit);

    /// <summary>Reports a fault that no caller receives.</summary>
    void OnFault(Exception fault);
}
