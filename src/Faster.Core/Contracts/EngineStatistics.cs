namespace Faster;

/// <summary>
/// What an operator needs to know of a store of any engine. The figures are read one after another, not as one
/// consistent snapshot.
/// </summary>
public abstract record EngineStatistics
{
    /// <summary>The bytes of memory that index, records and caches take now.</summary>
    public long MemoryBytes { get; init; }

    /// <summary>
    /// The bytes that logs occupy on their devices, including checksums and space that will be released; 0 for a store
    /// that keeps all records in memory.
    /// </summary>
    public long DiskBytes { get; init; }

    /// <summary>The number of open sessions.</summary>
    public int Sessions { get; init; }

    /// <summary>The number of operations that wait for the disk, for space, or for a latch.</summary>
    public int PendingOperations { get; init; }

    /// <summary>
    /// The last commit since the store was opened, with its duration (<see cref="Commit.Elapsed"/>); null before the
    /// first one, and for a store that cannot commit.
    /// </summary>
    public Commit? LastCommit { get; init; }

    /// <summary>The time since <see cref="LastCommit"/> became durable; null without one.</summary>
    public TimeSpan? LastCommitAge { get; init; }

    /// <summary>Whether anything has been done that the last commit does not cover; false without commits.</summary>
    public bool HasUncommittedWork { get; init; }

    /// <summary>
    /// The bytes in the operation logs that no commit has freed yet; 0 unless each operation is durable.
    /// </summary>
    public long OperationLogBytes { get; init; }

    /// <summary>The number of syncs of the operation logs; operations that wait together share one.</summary>
    public long OperationLogSyncs { get; init; }

    /// <summary>The time that these syncs took together.</summary>
    public TimeSpan OperationLogSyncTime { get; init; }

    /// <summary>
    /// Describes what has been inside an epoch for more than a second while others wait for it to leave, usually a
    /// session whose user function blocks; or null.
    /// </summary>
    public string? StalledBy { get; init; }

    /// <summary>
    /// Whether the store takes no more updates and commits, because what it has written may be lost: a sync has failed,
    /// its folder was replaced, or a unit has failed. Reads continue. Close the store and open it again.
    /// </summary>
    public bool IsPoisoned { get; init; }

    /// <summary>
    /// The last internal fault that affected no operation, or null. The event <c>FaultOccurred</c> of a store that has
    /// it reports each one.
    /// </summary>
    public Exception? LastFault { get; init; }
}
