namespace Faster.DurableTask;

/// <summary>Figures of a hub. Immutable.</summary>
public sealed record DurableHubStatistics
{
    /// <summary>The partitions that are open; one that has failed is not, until it has been opened again.</summary>
    public int Partitions { get; init; }

    /// <summary>The steps since the hub was created.</summary>
    public long Steps { get; init; }

    /// <summary>The commits since the hub was opened.</summary>
    public long Commits { get; init; }

    /// <summary>The records that steps have written or deleted since the hub was opened.</summary>
    public long RecordsWritten { get; init; }

    /// <summary>The bytes of the values that steps have written since the hub was opened.</summary>
    public long BytesWritten { get; init; }

    /// <summary>The instances of the index, which is built in the background after opening.</summary>
    public long Instances { get; init; }

    /// <summary>The instances with their state in memory.</summary>
    public long InstancesInMemory { get; init; }

    /// <summary>The messages, activities and timers that wait.</summary>
    public long Waiting { get; init; }

    /// <summary>The timers among them, and those taken back whose time has not come.</summary>
    public long Timers { get; init; }

    /// <summary>The messages that can't be read, and were set aside in their slots.</summary>
    public long SetAside { get; init; }

    /// <summary>The sum of two.</summary>
    internal static DurableHubStatistics Sum(DurableHubStatistics a, DurableHubStatistics b) => new()
    {
        Partitions = a.Partitions + b.Partitions, Steps = a.Steps + b.Steps, Commits = a.Commits + b.Commits,
        RecordsWritten = a.RecordsWritten + b.RecordsWritten, BytesWritten = a.BytesWritten + b.BytesWritten,
        Instances = a.Instances + b.Instances, InstancesInMemory = a.InstancesInMemory + b.InstancesInMemory,
        Waiting = a.Waiting + b.Waiting, Timers = a.Timers + b.Timers, SetAside = a.SetAside + b.SetAside,
    };
}
