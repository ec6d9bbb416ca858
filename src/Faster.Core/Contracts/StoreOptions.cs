using Faster.Devices;

namespace Faster;

/// <summary>
/// Options for opening a store. The defaults suit a small service: a 64 MiB budget, hybrid log, unbuffered files.
/// </summary>
/// <remarks>
/// An option is honored or rejected, never ignored. If an option differs from its default and the requested form of
/// store cannot honor it (for example <see cref="CommitEvery"/> without a folder), opening fails with a
/// <see cref="StoreOpenException"/> that names both.
/// </remarks>
public sealed record StoreOptions
{
    /// <summary>The smallest <see cref="MemoryBudget"/> that a store can work with: 256 KiB.</summary>
    public static ByteSize MinMemoryBudget => ByteSize.KiB(256);

    /// <summary>
    /// The memory for index, log pages, read cache, checksums and buffers together. While the store is open the process
    /// grows by at most this plus a tenth, no matter how much data passes through. For an in-memory store it is the
    /// limit. Without a folder or <see cref="Device"/>, a log keeps the data beyond the budget on an in-memory device
    /// that is not counted. Opening refuses a budget above what the process may use (the machine's memory, the limit
    /// of a container) with a <see cref="StoreOpenException"/>.
    /// </summary>
    public ByteSize MemoryBudget { get; init; } = ByteSize.MiB(64);

    /// <summary>The number of keys to size the index for; 0 for a small index that grows on its own.</summary>
    public long ExpectedKeys { get; init; }

    /// <summary>
    /// Whether opening the store touches the memory of its index and log, so that no operation waits later for the
    /// system to provide it: opening takes longer, and the process has the memory from the start. What a growing index
    /// could take from the log is not touched, nor, where records are on disk already, what the read cache could, nor
    /// memory that the log has given back when it outgrew its memory.
    /// </summary>
    public bool PopulateMemory { get; init; }

    /// <summary>Specifies where records are stored (paper 000, Fig. 1).</summary>
    public RecordAllocatorKind Allocator { get; init; } = RecordAllocatorKind.Hybrid;

    /// <summary>
    /// The share of the log's memory whose records are updated in place, above 0, at most 1. The paper finds that 0.9
    /// works well (000 §6.4).
    /// </summary>
    public double MutableFraction { get; init; } = 0.9;

    /// <summary>
    /// Upper bound on the share of the log's memory used by the read cache, from 0 (disabled) to 0.9. The cache takes
    /// memory page by page, only where it makes better use of it than the log does: a store that fits in memory, or
    /// that only writes, loses nothing to it (paper 000, App. D).
    /// </summary>
    public double ReadCacheFraction { get; init; } = 0.75;

    /// <summary>
    /// The size of a log page, a power of two from 4 KiB to 32 MiB; 0 to derive it from the budget, or to use the page
    /// size of the existing store in the folder. A key must fit into a page. A value may have any size; one that does
    /// not fit into a page is stored in fragments.
    /// </summary>
    public ByteSize PageSize { get; init; }

    /// <summary>
    /// The size of each log file of a new store, rounded to whole pages. An existing store keeps its own.
    /// </summary>
    public ByteSize SegmentSize { get; init; } = ByteSize.GiB(1);

    /// <summary>
    /// Upper bound on the log's disk space, at least 256 KiB; 0 for no limit. The store compacts and commits in the
    /// background to stay within it. Compaction reclaims superseded and deleted records; live records are kept even if
    /// they exceed the budget. A scan keeps what is reclaimed meanwhile until it ends, beside the budget. A new store's
    /// segments are at most a thirty-second of the budget.
    /// </summary>
    public ByteSize DiskBudget { get; init; }

    /// <summary>
    /// Number of threads that copy records when the log is compacted, from 1 to 64; 0 for a quarter of the cores, at
    /// least one and at most four. Together they copy at most a thirty-second of <see cref="MemoryBudget"/> at a time,
    /// a page each: where pages are large there are fewer threads.
    /// </summary>
    public int CompactionThreads { get; init; }

    /// <summary>The clock that determines when records age and expire.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>
    /// The number of operations of one session that may read from disk at the same time, from 1 to 65,536; fewer while
    /// those of all sessions use up their share of <see cref="MemoryBudget"/>. Beyond it, awaited calls are parked, and
    /// all other calls first complete some of the session's pending operations.
    /// </summary>
    public int MaxPendingPerSession { get; init; } = 256;

    /// <summary>
    /// The device that holds the log; null for segmented files in the store's folder. Once the store is open it owns
    /// the device and disposes it on close. If opening fails, the device still belongs to the caller, is unchanged, and
    /// may be used for another attempt.
    /// </summary>
    public Device? Device { get; init; }

    /// <summary>
    /// Whether the log's files bypass the operating system's page cache where the file system supports it.
    /// </summary>
    public bool UnbufferedIO { get; init; } = true;

    /// <summary>The mechanism used to read and write the log's files.</summary>
    public IOMode IOMode { get; init; } = IOMode.Auto;

    /// <summary>How commits capture the log, unless a call specifies another kind.</summary>
    public CommitKind CommitKind { get; init; } = CommitKind.FoldOver;

    /// <summary>Whether commits wait for pending operations.</summary>
    public PendingOrder PendingOrder { get; init; } = PendingOrder.Strict;

    /// <summary>
    /// The interval after the last commit at which the store commits on its own if anything has changed, which bounds
    /// how much recent work is at risk. Zero: it commits only on request. At most 40 days.
    /// </summary>
    public TimeSpan CommitEvery { get; init; }

    /// <summary>
    /// The growth of the log since the last commit at which the store commits on its own, which bounds the bytes at
    /// risk. Zero: it commits only on request.
    /// </summary>
    public ByteSize CommitEveryBytes { get; init; }

    /// <summary>
    /// The growth of the log since the last index checkpoint at which a commit includes a new one, which bounds the log
    /// that recovery replays. Zero: four times the size of the index, at least 64 MiB.
    /// </summary>
    public ByteSize IndexCheckpointEveryBytes { get; init; }

    /// <summary>
    /// The time to live of records, counted from their last write, unless a session specifies another. Zero: records
    /// never expire. Rounded up to milliseconds. An expired record is never returned, whether it is in memory or on
    /// disk.
    /// </summary>
    public TimeSpan TimeToLive { get; init; }

    /// <summary>
    /// How long closing the store waits for calls in progress before it fails; above zero. User functions must return
    /// quickly.
    /// </summary>
    public TimeSpan CloseTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Whether closing the store commits, with <see cref="CommitKind"/>, what was done since the last commit. False:
    /// what no commit covers is lost, as by a crash. Without meaning for a store that cannot commit: what it holds ends
    /// with it.
    /// </summary>
    public bool CommitOnDispose { get; init; } = true;

    /// <summary>
    /// Whether the store's time may start earlier than that of the recovered commit if the clock is earlier. Records
    /// that had expired may then become readable again. By default the store's time stands still until the clock has
    /// caught up; set this for a store that has run while the clock was far ahead
    /// (<see cref="RecoveryReport.ClockBehind"/>).
    /// </summary>
    public bool AllowClockRollback { get; init; }

    /// <summary>
    /// Whether opening may recover an older commit if the newest one is damaged; <see cref="RecoveryReport.Skipped"/>
    /// then lists the damaged ones. By default opening fails with an exception that names the file and the byte offset.
    /// </summary>
    public bool AllowOlderCommit { get; init; }
}

/// <summary>Specifies where records are stored (paper 000, Fig. 1).</summary>
public enum RecordAllocatorKind
{
    /// <summary>A log in memory and on disk, whose newer part is updated in place (000 §6).</summary>
    Hybrid,

    /// <summary>A log in memory and on disk that is only appended to (000 §5).</summary>
    AppendOnly,

    /// <summary>Memory only; deleted records are spliced out and their space is reused (000 §4).</summary>
    InMemory,
}
