using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.HashChunks;
using Faster.Invariants;
using Faster.Store.Opening;

namespace Faster.Tiered;

/// <summary>The components and settings from which a tiered store is built: a plan for each tier. Immutable.</summary>
internal sealed record TieredPlan
{
    /// <summary>Distinguishes the blocks of the cold log from those of the hot one.</summary>
    public const ulong ColdLog = 0x9E37_79B9_7F4A_7C15;

    /// <summary>Distinguishes the blocks of the cold tier's index from those of the logs.</summary>
    public const ulong ColdIndexLog = 0xC2B2_AE3D_27D4_EB4F;

    /// <summary>The options that the plans were made from.</summary>
    public required TieredOptions Options { get; init; }

    /// <summary>The hot tier.</summary>
    public required StorePlan Hot { get; init; }

    /// <summary>The cold tier: pages of the same size, records of the same layout, hashed in the same way.</summary>
    public required StorePlan Cold { get; init; }

    /// <summary>The cold tier's index.</summary>
    public required ChunkIndexPlan ColdIndex { get; init; }

    /// <summary>The size that the hot log is kept near, in bytes.</summary>
    public required long HotLogSize { get; init; }

    /// <summary>The number of pages of the hot log that each thread of a compaction moves together.</summary>
    public required int MovingPages { get; init; }

    /// <summary>The bytes that the cold log may take on its device; 0 for no limit.</summary>
    public long ColdDiskBudget { get; init; }

    /// <summary>Plans an empty store.</summary>
    /// <param name="options">The options.</param>
    /// <param name="schema">The layout of the records; without a merger.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    public static TieredPlan For(TieredOptions options, RecordSchema schema)
    {
        Invariant.Check(schema.Merger is null, $"the engine has no capability to merge, so no store has a merger");
        TieredShares.Validate(options);
        StoreOptions coldOptions = TieredShares.Cold(options);
        MemoryPlan cold = TieredShares.Memory(options, "cold log", coldOptions);
        StoreOptions hotOptions = TieredShares.Hot(options) with { PageSize = new ByteSize(1L << cold.PageBits) };
        MemoryPlan hotMemory = TieredShares.Memory(options, "hot tier", hotOptions);
        ChunkIndexPlan index = TieredShares.ColdIndex(options);
        long hotLogSize = TieredShares.HotLogSize(options, hotMemory.InitialRecordBytes);
        var hot = new StorePlan
        {
            Options = hotOptions, Plan = hotMemory,
            Metadata = StoreMetadata.New(schema, cold.PageBits, hotOptions.SegmentSize),
        };
        return new TieredPlan
        {
            Options = options, Hot = hot, ColdIndex = index, HotLogSize = hotLogSize,
            MovingPages = TieredShares.MovingPages(options, cold.PageBits, hotMemory.CompactionThreads),
            Cold = hot with { Options = coldOptions, Plan = cold, LogNumber = ColdLog },
            ColdDiskBudget = TieredShares.ColdDiskBudget(options, hotLogSize, index),
        };
    }
}
