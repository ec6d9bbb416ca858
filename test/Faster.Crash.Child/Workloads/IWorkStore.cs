namespace Faster.Crash.Workloads;

/// <summary>A store as workloads use it: the engine, or a model with faults sown in it.</summary>
public interface IWorkStore : IAsyncDisposable
{
    /// <summary>The points of the commit that was recovered; null when the store began empty.</summary>
    IReadOnlyList<CommitPoint>? Recovered { get; }

    /// <summary>Starts a session, or continues it where it is known.</summary>
    /// <param name="name">Its name; null for one that no commit knows.</param>
    IWorkSession Start(string? name);

    /// <summary>Commits.</summary>
    /// <returns>The points of the commit when it is durable.</returns>
    Task<IReadOnlyList<CommitPoint>> CommitAsync(CommitKind kind, bool withIndex);

    /// <summary>Takes a checkpoint of the index by itself; does nothing where there is none.</summary>
    Task CheckpointIndexAsync();

    /// <summary>Makes the index grow while operations run; does nothing where there is none.</summary>
    Task GrowAsync();

    /// <summary>Makes the index shrink while operations run; does nothing where there is none.</summary>
    Task ShrinkAsync();

    /// <summary>Compacts the older half of the log while operations run; does nothing where there is none.</summary>
    Task CompactAsync() => Task.CompletedTask;
}

/// <summary>A session as workloads use it.</summary>
public interface IWorkSession : IDisposable
{
    /// <summary>The number of the last operation.</summary>
    long SerialNumber { get; }

    /// <summary>What was recovered of the session.</summary>
    SessionPoint Recovered { get; }

    /// <summary>Does a step.</summary>
    /// <returns>False when it waits for the disk.</returns>
    bool Do(Step step);

    /// <summary>Ends what waits for the disk.</summary>
    void CompletePending();

    /// <summary>Reads a key to its end; null when it does not exist.</summary>
    byte[]? Read(int key);
}
