using Faster.Devices;
using Faster.HashChunks;

namespace Faster.Tiered;

/// <summary>Options of a tiered store (paper 003 §4.3). Immutable.</summary>
internal sealed record TieredOptions
{
    /// <summary>The memory of the whole store: both indexes, both logs, read cache and buffers.</summary>
    public ByteSize MemoryBudget { get; init; } = ByteSize.MiB(64);

    /// <summary>The cold tier's share of <see cref="MemoryBudget"/>, above 0, below 1.</summary>
    public double ColdFraction { get; init; } = 0.25;

    /// <summary>
    /// The upper bound of the read cache's share of the hot tier's memory for records, from 0 to 0.9.
    /// </summary>
    public double ReadCacheFraction { get; init; } = 0.75;

    /// <summary>The share of the hot log's memory whose records are updated in place (000 §6.4).</summary>
    public double MutableFraction { get; init; } = 0.9;

    /// <summary>The page size of both logs; 0 to derive it from the cold tier's memory.</summary>
    public ByteSize PageSize { get; init; }

    /// <summary>
    /// The size of the hot log, on disk and in memory, from which its oldest part is moved to the cold log; 0 for twice
    /// its memory.
    /// </summary>
    public ByteSize HotLogSize { get; init; }

    /// <summary>
    /// The size that the cold log may take on its device, at least 256 KiB; 0 for no limit. It is compacted to stay
    /// within it.
    /// </summary>
    public ByteSize ColdDiskBudget { get; init; }

    /// <summary>
    /// The number of cold keys to expect, on which the size of the cold tier's index depends: 8 bytes of memory for
    /// each chunk. More keys make chains longer. 0 for as many as a sixteenth of the cold tier's memory has chunks for.
    /// </summary>
    public long ExpectedColdKeys { get; init; }

    /// <summary>
    /// The size of a chunk of the cold tier's index: a power of two from 64 to 4,096 bytes. Smaller ones take more
    /// memory, larger ones more writes (003 §6).
    /// </summary>
    public ByteSize ChunkSize { get; init; } = new(ChunkIndexPlan.DefaultChunkBytes);

    /// <summary>The number of threads of a compaction, from 1 to 64; 0 to choose.</summary>
    public int CompactionThreads { get; init; }

    /// <summary>The device of the hot log; null for memory. The open store owns it.</summary>
    public Device? HotDevice { get; init; }

    /// <summary>The device of the cold log; null for memory. The open store owns it.</summary>
    public Device? ColdDevice { get; init; }

    /// <summary>The device of the cold tier's index; null for memory. The open store owns it.</summary>
    public Device? ColdIndexDevice { get; init; }

    /// <summary>The time to live of records; zero: they never expire.</summary>
    public TimeSpan TimeToLive { get; init; }

    /// <summary>The clock by which records expire.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>How long closing waits for calls in progress.</summary>
    public TimeSpan CloseTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>The options of the hot tier.</summary>
    internal StoreOptions Hot => Of(1 - ColdFraction) with
    {
        ReadCacheFraction = ReadCacheFraction, MutableFraction = MutableFraction, Device = HotDevice,
    };

    /// <summary>
    /// The options of the cold tier. Its records are never updated in place, nor cached in front of it.
    /// </summary>
    internal StoreOptions Cold => Of(ColdFraction / 2) with
    {
        ReadCacheFraction = 0, Device = ColdDevice, DiskBudget = ColdDiskBudget, ExpectedKeys = 1,
    };

    /// <summary>The division of the memory of the cold tier's index: half of the tier's.</summary>
    internal ChunkIndexPlan ColdIndex
    {
        get
        {
            long memory = (long)(MemoryBudget.Bytes * ColdFraction / 2);
            long keys = ExpectedColdKeys != 0 ? ExpectedColdKeys : memory / 64 * (ChunkSize.Bytes / 16);
            return ChunkIndexPlan.For(memory, keys, (int)ChunkSize.Bytes);
        }
    }

    private StoreOptions Of(double share) => new()
    {
        MemoryBudget = new ByteSize((long)(MemoryBudget.Bytes * share)),
        PageSize = PageSize,
        CompactionThreads = CompactionThreads,
        TimeToLive = TimeToLive,
        TimeProvider = TimeProvider,
        CloseTimeout = CloseTimeout,
    };
}
