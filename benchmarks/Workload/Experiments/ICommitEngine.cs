namespace Faster.Workload.Experiments;

/// <summary>A store that commits.</summary>
internal interface ICommitEngine : IEngine
{
    /// <summary>The length of the log from its begin to its tail, in bytes; any thread may ask at any time.</summary>
    long LogBytes { get; }

    /// <summary>Commits and waits until the commit is durable by the engine's own word.</summary>
    Task CommitAsync(CommitForm form, bool withIndex);
}
