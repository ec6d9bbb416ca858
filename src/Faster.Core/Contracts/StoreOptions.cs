using Faster.Devices;

namespace Faster;

/// <summary>
/// How a store is opened. The defaults suit a small service: a 64 MiB budget, hybrid log, unbuffered files.
/// </summary>
public sealed record StoreOptions
{
    /// <summary>The least <see cref="MemoryBudget"/> that a store can work with.</summary>
    public static readonly ByteSize LeastMemoryBudget = ByteSize.KiB(256);

    /// <summary>
    /// The memory for index, log pages, checksums and buffers together. The process grows by no more than this and a
    /// tenth while the store is open, however much data goes through. For an in-memory store: its limit.
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
    /// The size of a log page, a power of two from 4 KiB to 32 MiB; 0 to choose one by the budget. A record can't be
    /// larger than a page.
    /// </summary>
    public ByteSize PageSize { get; init; }

    /// <summary>The size of one file of the log; rounded to whole pages.</summary>
    public ByteSize SegmentSize { get; init; } = ByteSize.GiB(1);

    /// <summary>How many operations of one session may wait for the disk at once, from 1 to 65,536.</summary>
    public int MaxPendingPerSession { get; init; } = 256;

    /// <summary>
    /// The device under the log; null for segmented files in the store's folder. The store disposes of it.
    /// </summary>
    public Device? Device { get; init; }

    /// <summary>Whether the log's files bypass the page cache where the file system lets them.</summary>
    public bool UnbufferedIO { get; init; } = true;
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
