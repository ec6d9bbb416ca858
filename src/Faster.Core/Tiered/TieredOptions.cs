using Faster.Devices;

namespace Faster;

/// <summary>
/// Options for opening a store of the engine F2 (paper 003 §4.3). The defaults suit a small service. Immutable.
/// </summary>
public sealed record TieredOptions
{
    /// <summary>The smallest <see cref="MemoryBudget"/> that a store can work with: 2 MiB.</summary>
    public static ByteSize MinMemoryBudget => ByteSize.MiB(2);

    /// <summary>
    /// The memory for both tiers together: indexes, log pages, read cache, checksums and buffers. Data beyond it is on
    /// the devices. Opening refuses a budget above what the process may use, as for
    /// <see cref="StoreOptions.MemoryBudget"/>.
    /// </summary>
    public ByteSize MemoryBudget { get; init; } = ByteSize.MiB(64);

    /// <summary>As <see cref="StoreOptions.PopulateMemory"/>, for the hot index and both logs.</summary>
    public bool PopulateMemory { get; init; }

    /// <summary>
    /// The cold tier's share of <see cref="MemoryBudget"/>, above 0 and below 1, at least 512 KiB. The directory of its
    /// index comes first; the rest is for chunks of the index, for the cold log, and for records on their way to it.
    /// 0: 22 %; or, where the directory and packed copies of all chunks take at most a third of the memory, these and
    /// 20 %, so that a cold record is one read away. Of less than 10 MiB at most a quarter takes the place of both.
    /// </summary>
    public double ColdFraction { get; init; }

    /// <summary>
    /// Upper bound on the read cache's share of the hot tier's memory for records, from 0 (disabled) to 0.9.
    /// </summary>
    public double ReadCacheFraction { get; init; } = 0.75;

    /// <summary>
    /// The share of the hot log's memory whose records are updated in place, above 0, at most 1 (000 §6.4).
    /// </summary>
    public double MutableFraction { get; init; } = 0.9;

    /// <summary>
    /// The page size of both logs, a power of two from 4 KiB to 32 MiB; 0 to derive it from the cold tier's memory and
    /// <see cref="DiskBudget"/>. A page takes 4 KiB more on a device. A record must fit into a page.
    /// </summary>
    public ByteSize PageSize { get; init; }

    /// <summary>
    /// Upper bound on the space of both logs and the cold index on their devices, with what commits keep of them; 0 for
    /// no limit. The store compacts in the background to stay within it, and slows writers down meanwhile. Live records
    /// are kept even if they exceed it: <see cref="TieredStatistics.DiskBudgetExceeded"/>.
    /// </summary>
    public ByteSize DiskBudget { get; init; }

    /// <summary>
    /// The size of the hot log, on its device and in memory, from which its oldest two fifths move to the cold log; 0
    /// for two to four times its memory, above twice at most an eighth of <see cref="DiskBudget"/>, and at most half of
    /// it.
    /// </summary>
    public ByteSize HotLogSize { get; init; }

    /// <summary>
    /// The number of cold keys to size the cold index for: 8 bytes of memory for each chunk. More keys make chains
    /// longer. 0 for as many as a sixteenth of the cold tier's memory has chunks for. An existing store keeps its
    /// number of chunks.
    /// </summary>
    public long ExpectedColdKeys { get; init; }

    /// <summary>
    /// The number of hot keys to size the hot index for, which grows on its own if they are more; 0 for as many as the
    /// hot log has space for, in a third of the hot tier's memory at most, or a small index where records vary in size.
    /// </summary>
    public long ExpectedHotKeys { get; init; }

    /// <summary>
    /// The size of a chunk of the cold index: a power of two from 64 to 4,096 bytes. Smaller ones take more memory,
    /// larger ones more writes (003 §6). 0: 256 bytes, or more where <see cref="ExpectedColdKeys"/> would otherwise
    /// take more than a sixteenth of <see cref="MemoryBudget"/>. An existing store keeps its own.
    /// </summary>
    public ByteSize ChunkSize { get; init; }

    /// <summary>
    /// Number of threads that copy records in a compaction, from 1 to 64; 0 for a quarter of the cores, at least one
    /// and at most four.
    /// </summary>
    public int CompactionThreads { get; init; }

    /// <summary>
    /// The device of the hot log; null for segmented files in the store's folder, or for memory that is not counted if
    /// the store has no folder. Once the store is open it owns the device. If opening fails, the device still belongs
    /// to the caller.
    /// </summary>
    public Device? HotDevice { get; init; }

    /// <summary>
    /// Another folder for the cold log and the cold index, perhaps on a slower disk; null for the store's folder. It is
    /// locked and checked as the store's is, belongs to one store, and is named again at each opening. An existing
    /// store keeps its cold tier where it was made: in its own folder, or apart from it.
    /// </summary>
    public string? ColdFolder { get; init; }

    /// <summary>The device of the cold log, as <see cref="HotDevice"/>; it may be slower.</summary>
    public Device? ColdDevice { get; init; }

    /// <summary>The device of the cold index, as <see cref="HotDevice"/>.</summary>
    public Device? ColdIndexDevice { get; init; }

    /// <summary>
    /// The size of each file of a log of a new store, rounded to whole pages. An existing store keeps its own.
    /// </summary>
    public ByteSize SegmentSize { get; init; } = ByteSize.GiB(1);

    /// <summary>
    /// Whether the files of the logs bypass the operating system's page cache where that is possible.
    /// </summary>
    public bool UnbufferedIO { get; init; } = true;

    /// <summary>The mechanism used to read and write the files of the logs.</summary>
    public IOMode IOMode { get; init; } = IOMode.Auto;

    /// <summary>
    /// How commits capture the hot log, unless a call specifies another kind. The cold log is always flushed: it is
    /// never updated in place.
    /// </summary>
    public CommitKind CommitKind { get; init; } = CommitKind.FoldOver;

    /// <summary>Whether commits wait for pending operations.</summary>
    public PendingOrder PendingOrder { get; init; } = PendingOrder.Strict;

    /// <summary>As <see cref="StoreOptions.CommitEvery"/>.</summary>
    public TimeSpan CommitEvery { get; init; }

    /// <summary>As <see cref="StoreOptions.CommitEveryBytes"/>, of the hot log.</summary>
    public ByteSize CommitEveryBytes { get; init; }

    /// <summary>As <see cref="StoreOptions.IndexCheckpointEveryBytes"/>, of the hot log and its index.</summary>
    public ByteSize IndexCheckpointEveryBytes { get; init; }

    /// <summary>As <see cref="StoreOptions.CommitOnDispose"/>.</summary>
    public bool CommitOnDispose { get; init; } = true;

    /// <summary>As <see cref="StoreOptions.AllowClockRollback"/>.</summary>
    public bool AllowClockRollback { get; init; }

    /// <summary>As <see cref="StoreOptions.AllowOlderCommit"/>.</summary>
    public bool AllowOlderCommit { get; init; }

    /// <summary>
    /// The time to live of records, counted from their last write, unless a session specifies another. Zero: records
    /// never expire.
    /// </summary>
    public TimeSpan TimeToLive { get; init; }

    /// <summary>The clock that determines when records expire.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>
    /// How long closing the store waits for calls in progress before it fails; above zero. User functions must return
    /// quickly.
    /// </summary>
    public TimeSpan CloseTimeout { get; init; } = TimeSpan.FromSeconds(30);
}
