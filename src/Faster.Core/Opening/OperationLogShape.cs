using Faster.Log.Records;
using Faster.OperationLogs;

namespace Faster.Opening;

/// <summary>How many operation logs a store has, and of which size.</summary>
/// <param name="Count">The number of logs.</param>
/// <param name="BytesEach">The size of each in bytes, a multiple of 4 KiB.</param>
internal readonly record struct OperationLogShape(int Count, long BytesEach)
{
    /// <summary>The smallest size of a log.</summary>
    public const int MinBytes = 64 << 10;

    /// <summary>The sizes that an option may ask for.</summary>
    public const string ValidSizes = "0, or from 64 KiB to half of the MemoryBudget";

    private const int PartOfMemory = 4, Unit = 4 << 10, LockBytes = 2 * sizeof(long) << HashBits.TagBits;
    private const long FewBytes = 1 << 20, MostBytes = 1L << 30;

    /// <summary>The size of all logs in bytes.</summary>
    public long Bytes => Count * BytesEach;

    /// <summary>What logs of this shape, with the locks that go with them, take of a store's memory.</summary>
    public long MemoryBytes => Count == 0 ? 0 : Bytes + LockBytes;

    /// <summary>The shape that options ask for; none if operations are durable by commits.</summary>
    /// <remarks>
    /// Twice as many logs as processors, since a thread that is preempted keeps its log meanwhile; but none below 1 MiB
    /// unless all together are smaller, since the largest value takes a quarter of one.
    /// </remarks>
    public static OperationLogShape For(LogStoreOptions options)
    {
        if (options.Durability != Durability.EachOperation) return default;
        long bytes = SizeOf(options.OperationLogSize, options.MemoryBudget);
        int count = (int)Math.Clamp(bytes / FewBytes, 1, Math.Min(2 * Environment.ProcessorCount, LogPlace.MostLogs));
        return Of(count, options.OperationLogSize, options.MemoryBudget);
    }

    /// <summary>The shape of a number of logs that have a size together, or by default a part of the memory.</summary>
    /// <param name="count">The number of logs.</param>
    /// <param name="wanted">The size that an option asks for; 0 for the default.</param>
    /// <param name="memory">The store's memory in bytes.</param>
    public static OperationLogShape Of(int count, ByteSize wanted, ByteSize memory)
    {
        long bytes = SizeOf(wanted, memory);
        return new OperationLogShape(count, Math.Max(bytes / count, MinBytes) & -Unit);
    }

    /// <summary>Whether an option may ask for a size of all logs.</summary>
    public static bool IsValid(ByteSize wanted, ByteSize memory) =>
        wanted.Bytes == 0 || (wanted.Bytes >= MinBytes && wanted.Bytes <= memory.Bytes / 2);

    private static long SizeOf(ByteSize wanted, ByteSize memory) =>
        wanted.Bytes != 0 ? wanted.Bytes : Math.Min(memory.Bytes / PartOfMemory, MostBytes);
}
