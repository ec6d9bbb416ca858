using Faster.Checkpoints;

namespace Faster.Commits;

/// <summary>The store whose commits a coordinator makes.</summary>
/// <remarks>Called by the coordinator alone.</remarks>
internal interface ICommitHost
{
    /// <summary>The store's time, in Unix milliseconds.</summary>
    long Clock { get; }

    /// <summary>A phase, or that the store is poisoned, has been published; its epoch is not safe yet.</summary>
    void OnPhase(CommitPhase phase);

    /// <summary>A commit is durable; the sessions do not know yet.</summary>
    void OnDurable(Commit commit, CommitRecord record);

    /// <summary>A commit is durable, and all sessions know.</summary>
    void OnCommitted(Commit commit);

    /// <summary>Reports a fault that no caller sees.</summary>
    void OnFault(Exception fault);
}
