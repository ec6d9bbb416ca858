namespace Faster.Workload.Experiments;

/// <summary>Where the stores of one engine come from.</summary>
internal interface ICommitEngineSource
{
    /// <summary>The engine's name, on command lines and in results.</summary>
    string Name { get; }

    /// <summary>Whether its stores can commit so.</summary>
    bool Supports(CommitForm form);

    /// <summary>Makes an empty store in an empty folder.</summary>
    Task<ICommitEngine> CreateAsync(string folder, StoreSize size);

    /// <summary>Recovers the store that was committed in a folder.</summary>
    Task<ICommitEngine> RecoverAsync(string folder, StoreSize size);
}
