using System.ComponentModel;

namespace Faster;

/// <summary>The options of stores over hybrid logs, of one tier or two. Immutable.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract record LogStoreOptions : CommittingStoreOptions
{
    private protected LogStoreOptions()
    {
    }

    /// <summary>
    /// Upper bound on the share of the memory for records, of two tiers the hot one's, that the read cache uses, from 0
    /// (disabled) to 0.9. The cache takes memory page by page, only where it makes better use of it than the log does:
    /// a store that fits in memory, or that only writes, loses nothing to it (paper 000, App. D).
    /// </summary>
    public double ReadCacheFraction { get; init; } = 0.75;

    /// <summary>
    /// Upper bound on the space on disk, of two tiers that of both logs and the cold index, at least 256 KiB; 0 for no
    /// limit. The store compacts and commits in the background to stay within it. Compaction reclaims superseded and
    /// deleted records; live records are kept even if they exceed the budget. A scan keeps what is reclaimed meanwhile
    /// until it ends, beside the budget. A new store's segments are at most a thirty-second of the budget.
    /// </summary>
    public ByteSize DiskBudget { get; init; }

    /// <summary>The clock that determines when records age and expire.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>
    /// Whether reads, too, complete only when what they have read is durable. Without it a read may return a value that
    /// a crash takes back, since its writer has not been acknowledged yet; what is <i>written</i> from it is never
    /// acknowledged before it. For stores with <see cref="Durability.EachOperation"/>; on keys that are written all the
    /// time, each read costs a sync.
    /// </summary>
    public bool ReadsAwaitDurability { get; init; }

    /// <summary>
    /// How commits capture the log, unless a call specifies another kind. Of two tiers it is the hot log; the cold one
    /// is always flushed, because it is never updated in place.
    /// </summary>
    public CommitKind CommitKind { get; init; } = CommitKind.FoldOver;

    /// <summary>
    /// The growth of the log, of two tiers the hot one, since the last commit at which the store commits on its own,
    /// which bounds the bytes at risk. Zero: it commits only on request.
    /// </summary>
    public ByteSize CommitEveryBytes { get; init; }

    /// <summary>
    /// The time to live of records, counted from their last write, unless a session specifies another. Zero: records
    /// never expire. Rounded up to milliseconds. An expired record is never returned, whether it is in memory or on
    /// disk.
    /// </summary>
    public TimeSpan TimeToLive { get; init; }

    /// <summary>
    /// Whether the store's time may start earlier than that of the recovered commit if the clock is earlier. Records
    /// that had expired may then become readable again. By default the store's time stands still until the clock has
    /// caught up; set this for a store that has run while the clock was far ahead
    /// (<see cref="RecoveryReport.ClockBehind"/>).
    /// </summary>
    public bool AllowClockRollback { get; init; }

    /// <summary>The options that few stores need.</summary>
    public ExpertOptions Expert { get; init; } = new();

    internal double MutableFraction
    {
        get => Expert.MutableFraction;
        init => Expert = Expert with { MutableFraction = value };
    }

    internal ByteSize PageSize
    {
        get => Expert.PageSize;
        init => Expert = Expert with { PageSize = value };
    }

    internal ByteSize SegmentSize
    {
        get => Expert.SegmentSize;
        init => Expert = Expert with { SegmentSize = value };
    }

    internal int CompactionThreads
    {
        get => Expert.CompactionThreads;
        init => Expert = Expert with { CompactionThreads = value };
    }

    internal int MaxPendingPerSession
    {
        get => Expert.MaxPendingPerSession;
        init => Expert = Expert with { MaxPendingPerSession = value };
    }

    internal bool UnbufferedIO
    {
        get => Expert.UnbufferedIO;
        init => Expert = Expert with { UnbufferedIO = value };
    }

    internal IOMode IOMode
    {
        get => Expert.IOMode;
        init => Expert = Expert with { IOMode = value };
    }

    internal PendingOrder PendingOrder
    {
        get => Expert.PendingOrder;
        init => Expert = Expert with { PendingOrder = value };
    }

    internal ByteSize IndexCheckpointEveryBytes
    {
        get => Expert.IndexCheckpointEveryBytes;
        init => Expert = Expert with { IndexCheckpointEveryBytes = value };
    }

    internal ByteSize OperationLogSize
    {
        get => Expert.OperationLogSize;
        init => Expert = Expert with { OperationLogSize = value };
    }

    /// <summary>Returns the name of an option as a user writes it, for messages.</summary>
    internal static string NameOf(string option) => option
        is nameof(MutableFraction) or nameof(PageSize) or nameof(SegmentSize) or nameof(CompactionThreads)
        or nameof(MaxPendingPerSession) or nameof(UnbufferedIO) or nameof(IOMode) or nameof(PendingOrder)
        or nameof(IndexCheckpointEveryBytes) or nameof(OperationLogSize)
        ? $"{nameof(Expert)}.{option}"
        : option;

    /// <summary>Options that few stores need: sizes, threads and mechanisms. Immutable.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public sealed record ExpertOptions
    {
        /// <summary>
        /// The share of the log's memory, of two tiers the hot log's, whose records are updated in place, above 0, at
        /// most 1. The paper finds that 0.9 works well (000 §6.4).
        /// </summary>
        public double MutableFraction { get; init; } = 0.9;

        /// <summary>
        /// The size of a log page, a power of two from 4 KiB to 32 MiB; 0 to derive it from the budgets, or to use the
        /// page size of the existing store in the folder. A key must fit into a page. A value may have any size; one
        /// that does not fit into a page is stored in fragments.
        /// </summary>
        public ByteSize PageSize { get; init; }

        /// <summary>
        /// The size of each file of a log of a new store, rounded to whole pages. An existing store keeps its own.
        /// </summary>
        public ByteSize SegmentSize { get; init; } = ByteSize.GiB(1);

        /// <summary>
        /// Number of threads that copy records when the log is compacted, from 1 to 64; 0 for a quarter of the cores,
        /// at least one and at most four. Together they copy at most a thirty-second of
        /// <see cref="EngineOptions.MemoryBudget"/> at a time, a page each: where pages are large there are fewer
        /// threads.
        /// </summary>
        public int CompactionThreads { get; init; }

        /// <summary>
        /// The number of operations of one session that may read from disk at the same time, from 1 to 65,536; fewer
        /// while those of all sessions use up their share of <see cref="EngineOptions.MemoryBudget"/>. Beyond it,
        /// awaited calls are parked, and all other calls first complete some of the session's pending operations.
        /// </summary>
        public int MaxPendingPerSession { get; init; } = 256;

        /// <summary>
        /// Whether the files of logs bypass the operating system's page cache where the file system supports it.
        /// </summary>
        public bool UnbufferedIO { get; init; } = true;

        /// <summary>The mechanism used to read and write the files of logs.</summary>
        public IOMode IOMode { get; init; } = IOMode.Auto;

        /// <summary>Whether commits wait for pending operations; they do not where each operation is durable.</summary>
        public PendingOrder PendingOrder { get; init; } = PendingOrder.Strict;

        /// <summary>
        /// The growth of the log, of two tiers the hot one, since the last index checkpoint at which a commit includes
        /// a new one, which bounds the log that recovery replays. Zero: four times the size of the index, at least 64
        /// MiB.
        /// </summary>
        public ByteSize IndexCheckpointEveryBytes { get; init; }

        /// <summary>
        /// The size of all operation logs together, on disk and in memory, of which it is a part of
        /// <see cref="EngineOptions.MemoryBudget"/>, at least 64 KiB; 0 for a quarter of the budget, at most 1 GiB. The
        /// record of an operation may take a quarter of one log; there are twice as many logs as processors, at most
        /// 16, of 1 MiB at least. For stores with <see cref="Durability.EachOperation"/>.
        /// </summary>
        public ByteSize OperationLogSize { get; init; }
    }
}
