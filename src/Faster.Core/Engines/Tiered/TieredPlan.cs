using Faster.Checkpoints.Files;
using Faster.Compaction.Batches;
using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.HashChunks;
using Faster.Opening;

namespace Faster.Engines.Tiered;

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

    /// <summary>The memory of each batch of records that are copied to the cold log together.</summary>
    public required CopyBatchShape Batch { get; init; }

    /// <summary>The bytes that the cold log may take on its device; 0 for no limit.</summary>
    public long ColdDiskBudget { get; init; }

    /// <summary>Plans a store in memory, or a new one in a folder.</summary>
    /// <param name="options">The options.</param>
    /// <param name="schema">The layout of the records.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    public static TieredPlan For(TieredOptions options, RecordSchema schema)
    {
        TieredShares.Validate(options);
        var shares = ColdShares.Of(options, existing: null);
        StoreOptions coldOptions = TieredShares.Cold(options, shares);
        MemoryPlan cold = TieredShares.Divide(options, shares, "cold log", () => MemoryPlan.For(coldOptions));
        if (TieredShares.LargerPages(options, shares, cold.PageBits) is var pageBits && pageBits != cold.PageBits)
        {
            coldOptions = coldOptions with { PageSize = new ByteSize(1L << pageBits) };
            cold = TieredShares.Divide(options, shares, "cold log", () => MemoryPlan.For(coldOptions));
        }

        options = options with { PageSize = new ByteSize(1L << cold.PageBits) };
        MemoryPlan hot = TieredShares.Divide(
            options, shares, "hot tier", () => MemoryPlan.For(TieredShares.Hot(options, schema, shares)));
        ChunkIndexPlan index = TieredShares.ColdIndex(options, shares, existing: null);
        var shape = new ColdIndexShape(
            index.PageBits, index.ChunkBytes, index.ChunkCount,
            StoreMetadata.SegmentOf(coldOptions.SegmentSize, new BlockGeometry(index.PageBits).PageStride));
        StoreMetadata metadata = StoreMetadata.New(
            nameof(TieredEngine), schema, cold.PageBits, coldOptions.SegmentSize);
        metadata = metadata with { ColdIndex = shape, ColdFolder = FullPath(options.ColdFolder) };
        return Of(options, shares, metadata, hot, cold, index);
    }

    /// <summary>Plans an existing store.</summary>
    /// <param name="options">The options.</param>
    /// <param name="metadata">The store's, which fit the options.</param>
    /// <param name="folder">The store's folder, for messages.</param>
    /// <param name="buckets">The buckets of the hot index in the commit that is recovered; null: there is none.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="StoreOpenException">
    /// The memory or the disk budget is too small for the store, or does not suit what does not change of it.
    /// </exception>
    public static TieredPlan Of(TieredOptions options, StoreMetadata metadata, string folder, long? buckets)
    {
        TieredShares.Validate(options);
        options = options with { PageSize = new ByteSize(1L << metadata.PageBits) };
        var shares = ColdShares.Of(options, metadata.ColdIndex);
        try
        {
            return Of(options, shares, metadata, folder, buckets);
        }
        catch (StoreOpenException) when (shares.Stage != 0)
        {
            // The hot tier has less memory beside copies of all chunks than without them, so more memory of the store
            // may leave it less; it may need it for an index that has grown.
            return Of(
                options, ColdShares.Of(options, metadata.ColdIndex, stagesAll: false), metadata, folder, buckets);
        }
    }

    /// <summary>The plan in a folder.</summary>
    public TieredPlan In(FolderState state) => this with { Hot = Hot.In(state), Cold = Cold.In(state) };

    private static TieredPlan Of(
        TieredOptions options, ColdShares shares, StoreMetadata metadata, string folder, long? buckets)
    {
        try
        {
            return Of(
                options, shares, metadata,
                TieredShares.Divide(
                    options, shares, "hot tier",
                    () => MemoryPlan.ForFolder(TieredShares.Hot(options, metadata.Schema, shares), folder, buckets)),
                TieredShares.Divide(
                    options, shares, "cold log", () => MemoryPlan.For(TieredShares.Cold(options, shares))),
                TieredShares.ColdIndex(options, shares, metadata.ColdIndex));
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw new StoreOpenException(
                $"The store in '{folder}' can't be opened with these options: {e.Message} Its pages and its cold index "
                + "keep the sizes with which they were made.", e);
        }
    }

    private static string? FullPath(string? folder) => folder is null ? null : Path.GetFullPath(folder);

    private static TieredPlan Of(
        TieredOptions options, in ColdShares shares, StoreMetadata metadata, MemoryPlan hotMemory,
        MemoryPlan coldMemory, ChunkIndexPlan index)
    {
        long hotLogSize = TieredShares.HotLogSize(options, hotMemory, metadata.Schema, index);
        var hot = new StorePlan
        {
            Options = TieredShares.Hot(options, metadata.Schema, shares), Plan = hotMemory, Metadata = metadata,
        };
        return new TieredPlan
        {
            Options = options, Hot = hot, ColdIndex = index, HotLogSize = hotLogSize,
            Batch = TieredShares.Batch(shares, index, coldMemory.PageBits, hotMemory.CompactionThreads),
            Cold = hot with
            {
                Options = TieredShares.Cold(options, shares), Plan = coldMemory, LogNumber = ColdLog,
                LogName = StoreFileNames.ColdLog,
            },
            ColdDiskBudget = TieredShares.ColdDiskBudget(options, hotLogSize, index),
        };
    }
}
