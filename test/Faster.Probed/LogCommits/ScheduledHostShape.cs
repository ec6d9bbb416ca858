using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Opening;
using Faster.Tests.Devices;

namespace Faster.Tests.LogCommits;

/// <summary>
/// What a <see cref="ScheduledHost"/> has: by default a hybrid log of four pages over a device that the schedule moves,
/// and an index of one bucket.
/// </summary>
internal sealed record ScheduledHostShape
{
    private const int PageBits = ScheduledHost.PageBits, IndexBytes = 4 << 10; // as much as the smallest reserves

    public required RecordSchema Schema { get; init; }

    public RecordAllocatorKind Kind { get; init; } = RecordAllocatorKind.Hybrid;

    /// <summary>Whether the device gives sessions queues of their own.</summary>
    public bool HasQueues { get; init; } = true;

    /// <summary>Whether reads and writes are made at once, without threads of their own.</summary>
    public bool IsAtOnce { get; init; }

    /// <summary>Whether there is a read cache, of as many pages as the log.</summary>
    public bool IsCached { get; init; } = true;

    /// <summary>How many of the four pages are updated in place.</summary>
    public double MutableFraction { get; init; } = 0.9;

    /// <summary>The buckets of the index.</summary>
    public long Buckets { get; init; } = 1;

    /// <summary>How many freed records a session passes on at once, in memory only.</summary>
    public int FreeBatch { get; init; } = StorePlan.DefaultFreeBatch;

    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Where the keys' entries lie; null: in the hash index.</summary>
    public IEntryIndexMaker? EntryIndex { get; init; }

    public StorePlan Blueprint(ScheduledDevice device)
    {
        var options = new StoreOptions
        {
            Device = device, Allocator = Kind, TimeProvider = Time, MutableFraction = MutableFraction,
        };
        StoreMetadata metadata =
            StoreMetadata.New(nameof(FasterEngine), Schema, PageBits, options.SegmentSize) with { Seed = default };
        return new StorePlan
        {
            Options = options, Plan = Plan, Metadata = metadata, StartsThreads = false, FreeBatch = FreeBatch,
            EntryIndex = EntryIndex,
        };
    }

    private MemoryPlan Plan => Kind == RecordAllocatorKind.InMemory
        ? Empty with { Budget = 1 << 20 }
        : Spilling;

    // What is not the log's: a small index, the least buffers.
    private MemoryPlan Spilling
    {
        get
        {
            MemoryPlan plan = Empty with
            {
                FlushPart = 4 << 10, FlushParts = 2, ReadBuffers = 16 << 10, PendingBytes = 16 << 10,
                CacheFraction = 0.5, CachePageBits = IsCached ? PageBits : 0,
            };
            long rest = plan.PendingReserve + plan.ReadBuffers + (plan.FlushPart * plan.FlushParts);
            return plan with { Budget = rest + IndexBytes + (ScheduledHost.Pages << PageBits) };
        }
    }

    private MemoryPlan Empty => new()
    {
        Budget = 0, FlushPart = 0, FlushParts = 0, ReadBuffers = 0, PendingBytes = 0, Buckets = Buckets,
        ChosenBuckets = Buckets, PageBits = PageBits, CacheFilterBytes = 0, CompactionThreads = 1,
    };
}
