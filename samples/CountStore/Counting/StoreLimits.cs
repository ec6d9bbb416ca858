using Faster;

namespace CountStore.Counting;

/// <summary>How deep the queues to the disk are.</summary>
internal static class StoreLimits
{
    /// <summary>How many updates of one worker may wait for the disk before it looks for those that are done.</summary>
    public const int Pending = 64;

    /// <summary>
    /// How many updates of one worker are under way at once where each is durable: all of them may wait for the disk
    /// while a commit waits for them, and must have space in an eighth of the operation logs then, which take a quarter
    /// of the memory.
    /// </summary>
    public static int Awaited(ByteSize memory) => (int)Math.Clamp(memory.Bytes >> 16, 16, 4_096);

    /// <summary>How many reads of one worker are issued before the first is awaited.</summary>
    public const int Reads = 128;
}
