namespace Faster.Crash.Workloads;

/// <summary>A store as workloads use it: the engine, or a model with faults seeded in it.</summary>
public interface IWorkStore : IAsyncDisposable
{
    /// <summary>Raised after each commit, also after those of the store itself; never by a model.</summary>
    event Action<Commit>? Committed
    {
        add { }
        remove { }
    }

    /// <summary>The points of the commit that was recovered; null when the store began empty.</summary>
    IReadOnlyList<CommitPoint>? Recovered { get; }

    /// <summary>Whether compactions have moved values that are larger than a page.</summary>
    bool MovedLarge => false;

    /// <summary>Whether compactions have moved records between all logs; true where there is one log.</summary>
    bool HasMoved => true;

    /// <summary>How much has moved, for messages.</summary>
    string Moves => "";

    /// <summary>The commits whose state can be scanned, oldest first; none if the store is not asked for it.</summary>
    IReadOnlyList<Commit> Scannable => [];

    /// <summary>Scans the state as of a commit.</summary>
    /// <exception cref="FasterException">The state is not there any more.</exception>
    IAsyncEnumerable<(int Key, byte[] Value)> ScanAsync(Commit commit) => throw new NotSupportedException();

    /// <summary>Starts a session, or continues it if the store knows it.</summary>
    /// <param name="name">Its name; null for one that no commit knows.</param>
    IWorkSession Start(string? name);

    /// <summary>Commits.</summary>
    /// <returns>The points of the commit when it is durable.</returns>
    Task<IReadOnlyList<CommitPoint>> CommitAsync(CommitKind kind, bool withIndex);

    /// <summary>Takes a checkpoint of the index alone; does nothing if there is no index.</summary>
    Task CheckpointIndexAsync();

    /// <summary>Grows the index while operations run; does nothing if there is no index.</summary>
    Task GrowAsync();

    /// <summary>Shrinks the index while operations run; does nothing if there is no index.</summary>
    Task ShrinkAsync();

    /// <summary>Compacts the older half of the log while operations run; does nothing if there is no log.</summary>
    Task CompactAsync() => Task.CompletedTask;
}

/// <summary>A session as workloads use it.</summary>
public interface IWorkSession : IDisposable
{
    /// <summary>The number of the last operation.</summary>
    long SerialNumber { get; }

    /// <summary>What was recovered of the session.</summary>
    SessionPoint Recovered { get; }

    /// <summary>Sets the number of the next step: an excluded one, which is issued again.</summary>
    void SetNext(long number);

    /// <summary>Executes a step.</summary>
    /// <returns>False if it waits for the disk.</returns>
    bool Do(Step step);

    /// <summary>Completes what waits for the disk.</summary>
    void CompletePending();

    /// <summary>Reads a key, and waits for the disk if it must; null if the key does not exist.</summary>
    byte[]? Read(int key);
}
