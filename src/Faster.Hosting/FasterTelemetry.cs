namespace Faster.Hosting;

/// <summary>
/// The names of what stores measure and trace. Each measurement and activity has the tag <see cref="StoreTag"/>. All
/// instruments but <see cref="CommitDuration"/> read <see cref="EngineStatistics"/> when they are collected, so nothing
/// is measured while operations run.
/// </summary>
public static class FasterTelemetry
{
    /// <summary>The name of the meter and of the activity source.</summary>
    public const string Name = "Faster";

    /// <summary>The tag with the store's name.</summary>
    public const string StoreTag = "faster.store.name";

    /// <summary>A gauge in bytes: the memory that the store takes.</summary>
    public const string MemorySize = "faster.memory.size";

    /// <summary>A gauge in bytes: what logs take on their devices.</summary>
    public const string DiskSize = "faster.disk.size";

    /// <summary>A gauge: the open sessions.</summary>
    public const string Sessions = "faster.sessions";

    /// <summary>A gauge: the operations that wait for the disk, for space, or for a latch.</summary>
    public const string PendingOperations = "faster.operations.pending";

    /// <summary>A gauge in seconds: the age of the last commit; absent before the first.</summary>
    public const string CommitAge = "faster.commit.age";

    /// <summary>A histogram in seconds: how long commits take.</summary>
    public const string CommitDuration = "faster.commit.duration";

    /// <summary>A counter: the syncs of the operation logs.</summary>
    public const string OperationLogSyncs = "faster.operation_log.syncs";

    /// <summary>A counter: internal faults that concerned no operation.</summary>
    public const string Faults = "faster.faults";

    /// <summary>A gauge: 1 if the store takes no more updates, otherwise 0.</summary>
    public const string Poisoned = "faster.poisoned";

    /// <summary>An activity: the opening of a store, with its recovery.</summary>
    public const string OpenActivity = "faster.open";

    /// <summary>An activity: a commit, from its request until it is durable.</summary>
    public const string CommitActivity = "faster.commit";
}
