namespace Faster.Workload.Experiments;

/// <summary>
/// What a store must hold in memory, so that no operation of an experiment waits for the disk.
/// </summary>
/// <param name="Keys">How many keys are loaded.</param>
/// <param name="LogBytes">The length that the log may reach.</param>
internal sealed record StoreSize(int Keys, long LogBytes)
{
    private const int RecordBytes = 24;

    /// <summary>Space for all records, and for all of them again per commit that makes the log read-only.</summary>
    public static StoreSize ForCommits(int keys, int commits) => new(keys, (long)keys * RecordBytes * (commits + 1));

    /// <summary>Space for all records, and for a log that keeps growing at a rate.</summary>
    public static StoreSize ForGrowth(int keys, double seconds, long bytesPerSecond) =>
        new(keys, ((long)keys * RecordBytes) + (long)(seconds * bytesPerSecond));
}
