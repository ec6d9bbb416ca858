using Faster.Checkpoints;
using Faster.Devices;

namespace Faster;

/// <summary>What a store is put together from.</summary>
internal sealed record StoreBlueprint
{
    /// <summary>The options, with what the folder has decided already.</summary>
    public required StoreOptions Options { get; init; }

    /// <summary>The division of the memory.</summary>
    public required MemoryPlan Plan { get; init; }

    /// <summary>What does not change over the store's life.</summary>
    public required StoreMetadata Metadata { get; init; }

    /// <summary>The folder; null for a store in memory only.</summary>
    public StoreFiles? Files { get; init; }

    /// <summary>The commits in the folder.</summary>
    public CommitCatalog? Catalog { get; init; }

    /// <summary>The commit to recover; null for an empty store.</summary>
    public CommitRecord? Commit { get; init; }

    /// <summary>Newer commits that could not be trusted.</summary>
    public IReadOnlyList<DamagedDataException> Skipped { get; init; } = [];

    /// <summary>The device under the log.</summary>
    public Device OpenDevice() =>
        Options.Device ?? Files?.OpenLog(Metadata.SegmentBytes, Options.UnbufferedIO) ?? new MemoryDevice();
}
