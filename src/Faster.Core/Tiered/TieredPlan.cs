using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.HashChunks;
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

    /// <summary>Plans an empty store.</summary>
    /// <param name="options">The options.</param>
    /// <param name="schema">The layout of the records; without a merger.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="NotSupportedException">The schema has a merger.</exception>
    public static TieredPlan For(TieredOptions options, RecordSchema schema)
    {
        if (schema.Merger is not null) throw new NotSupportedException("A tiered store does not merge updates.");
        MemoryPlan cold = MemoryPlan.For(options.Cold);
        StoreOptions hotOptions = options.Hot with { PageSize = new ByteSize(1L << cold.PageBits) };
        var hot = new StorePlan
        {
            Options = hotOptions, Plan = MemoryPlan.For(hotOptions),
            Metadata = StoreMetadata.New(schema, cold.PageBits, hotOptions.SegmentSize),
        };
        return new TieredPlan
        {
            Options = options, Hot = hot,
            Cold = hot with { Options = options.Cold, Plan = cold, LogNumber = ColdLog },
            ColdIndex = options.ColdIndex,
        };
    }
}
