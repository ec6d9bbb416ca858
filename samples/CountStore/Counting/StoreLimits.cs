namespace CountStore.Counting;

/// <summary>How deep the queues to the disk are.</summary>
internal static class StoreLimits
{
    /// <summary>How many updates of one worker may wait for the disk before it looks for those that are done.</summary>
    public const int Pending = 64;

    /// <summary>How many updates of one worker are under way at once where each is durable.</summary>
    public const int Awaited = 4_096;

    /// <summary>How many reads of one worker are issued before the first is awaited.</summary>
    public const int Reads = 128;
}
