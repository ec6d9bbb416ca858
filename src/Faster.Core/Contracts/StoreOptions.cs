using Faster.Devices;

namespace Faster;

/// <summary>
/// How a store is opened. The defaults suit a small service: a 64 MiB budget, hybrid log, unbuffered files.
/// </summary>
/// <remarks>
/// An option is honored or refused, never ignored: one that differs from its default, and that a store of the form
/// asked for can't honor (<see cref="CommitEvery"/> without a folder, say), fails the opening by a
/// <see cref="StoreOpenException"/> that names both.
/// </remarks>
public sealed record StoreOptions
{
    /// <summary>The least <see cref="MemoryBudget"/> that a store can work with.</summary>
    public static readonly ByteSize LeastMemoryBudget = ByteSize.KiB(256);

    /// <summary>
    /// The memory for index, log pages, read cache, checksums and buffers together. The process grows by no more than
    /// this and a tenth while the store is open, however much data goes through. For an in-memory store: its limit. A
    /// log without a folder or <see cref="Device"/> has what does not fit in memory besides, which is not counted.
    /// </summary>
    public ByteSize MemoryBudget { get; init; } = ByteSize.MiB(64);

    /// <summary>How many keys to size the index for; 0 for a small index that grows by itself.</summary>
    public long ExpectedKeys { get; init; }

    /// <summary>Where records live (paper 000, Fig. 1).</summary>
    public RecordAllocatorKind Allocator { get; init; } = RecordAllocatorKind.Hybrid;

    /// <summary>
    /// The part of the log's memory whose records are updated in place (§6.4: 0.9 works well), above 0, at most 1.
    /// </summary>
    public double MutableFraction { get; init; } = 0.9;

    /// <summary>
    /// The most of the log's memory that copies of records which are read from disk may take, from 0 (none are kept) to
    /// 0.9. The cache takes what it makes better use of than the log, page by page: a store that fits into memory, or
    /// only writes, gives nothing away (paper 000, App. D).
    /// </summary>
    public double ReadCacheFraction { get; init; } = 0.75;

    /// <summary>
    /// The size of a log page, a power of two from 4 KiB to 32 MiB; 0 to choose one by the budget, or to take that of
    /// the store that lies in the folder. A key must fit into a page; a value may be of any size, and lies in pieces
    /// when it does not fit (docs/LARGEVALUES.md).
    /// </summary>
    public ByteSize PageSize { get; init; }

    /// <summary>
    /// The size of one file of the log of a new store, rounded to whole pages. A store that exists keeps its own.
    /// </summary>
    public ByteSize SegmentSize { get; init; } = ByteSize.GiB(1);

    /// <summary>
    /// What the log may take on disk, at least 256 KiB; 0 for no limit. The store compacts itself in the background to
    /// keep to it, and commits for that: superseded and deleted records are given up, live ones stay, whatever they
    /// take (docs/COMPACTION.md). A new store's segments are a thirty-second of it at most.
    /// </summary>
    public ByteSize DiskBudget { get; init; }

    /// <summary>The clock by which records age and expire.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>
    /// How many operations of one session may read from disk at once, from 1 to 65,536; fewer while all sessions' take
    /// their part of <see cref="MemoryBudget"/>. Beyond it awaited calls are parked, and all others complete some of
    /// the session's operations first.
    /// </summary>
    public int MaxPendingPerSession { get; init; } = 256;

    /// <summary>
    /// The device under the log; null for segmented files in the store's folder. The store owns it from the moment at
    /// which it is open, and disposes of it when it is closed. If the opening fails the device stays the caller's, as
    /// it was, and may be used for another attempt.
    /// </summary>
    public Device? Device { get; init; }

    /// <summary>Whether the log's files bypass the page cache where the file system lets them.</summary>
    public bool UnbufferedIO { get; init; } = true;

    /// <summary>How the log's files are read and written.</summary>
    public IoMode Io { get; init; } = IoMode.Auto;

    /// <summary>How commits capture the log unless a call says otherwise.</summary>
    public CommitKind CommitKind { get; init; } = CommitKind.FoldOver;

    /// <summary>Whether commits wait for the operations that wait for the disk.</summary>
    public PendingOrder PendingOrder { get; init; } = PendingOrder.Strict;

    /// <summary>
    /// Commit by itself so long after the last commit, if anything was done since: a bound on the time at risk. Zero:
    /// only when asked. At most 40 days.
    /// </summary>
    public TimeSpan CommitEvery { get; init; }

    /// <summary>
    /// Commit by itself when the log has grown by so much since the last commit: a bound on the bytes at risk. Zero:
    /// only when asked.
    /// </summary>
    public ByteSize CommitEveryBytes { get; init; }

    /// <summary>
    /// A commit takes a checkpoint of the index along when the log has grown by so much since the last one, which
    /// bounds the log that recovery replays. Zero: four times the index, at least 64 MiB.
    /// </summary>
    public ByteSize IndexCheckpointEveryBytes { get; init; }

    /// <summary>
    /// How long a record lives after it was last written, unless a session says otherwise; zero: for ever. Rounded up
    /// to milliseconds. An expired record is never read, whatever its place (docs/EXPIRY.md).
    /// </summary>
    public TimeSpan TimeToLive { get; init; }

    /// <summary>
    /// How long closing the store waits for a call that is under way before it fails, above zero: user functions are to
    /// return soon.
    /// </summary>
    public TimeSpan CloseTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Whether the store's time may begin before that of the commit which it is opened from, if the clock says so; what
    /// has expired may be alive again then. By default its time stands still until the clock has caught up: set this
    /// for a store that has run while the clock was far ahead (<see cref="RecoveryReport.ClockBehind"/>).
    /// </summary>
    public bool ClockMayGoBack { get; init; }

    /// <summary>
    /// Whether opening may take an older commit when the newest one is damaged; <see cref="RecoveryReport.Skipped"/>
    /// tells then. By default opening fails, and names the file and the byte.
    /// </summary>
    public bool FallBack { get; init; }
}

/// <summary>Where records live (paper 000, Fig. 1).</summary>
public enum RecordAllocatorKind
{
    /// <summary>A log in memory and on disk whose newer part is updated in place (§6).</summary>
    Hybrid,

    /// <summary>A log in memory and on disk that is only appended to (§5).</summary>
    AppendOnly,

    /// <summary>Memory only; deleted records are spliced out and their room is used again (§4).</summary>
    InMemory,
}
