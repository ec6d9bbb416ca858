using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Devices;
using Faster.Epochs;
using Faster.Log;

namespace Faster;

/// <summary>What a store is put together from.</summary>
internal sealed record StoreBlueprint
{
    /// <summary>The default of <see cref="FreeBatch"/>.</summary>
    public const int DefaultFreeBatch = 128;

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

    /// <summary>
    /// Whether the store's I/O thread runs, and what looks after the log's age and size; not under a test's scheduler,
    /// whose threads take the turns of the first instead.
    /// </summary>
    public bool StartsThreads { get; init; } = true;

    /// <summary>A coarse clock of a test's own; null: the system's, if the time is.</summary>
    public Func<long>? CoarseClock { get; init; }

    /// <summary>How many free blocks a session passes on at once, in memory only; fewer in tests.</summary>
    public int FreeBatch { get; init; } = DefaultFreeBatch;

    /// <summary>Opens what lies under the log.</summary>
    public LogStorage OpenStorage() => new(
        Options.Device ?? Files?.OpenLog(Metadata.SegmentBytes, Options.UnbufferedIO) ?? new MemoryDevice(),
        new BlockGeometry(Plan.PageBits), new BlockSeal(Metadata.Identity, Incarnation: 1));

    /// <summary>Makes the log.</summary>
    /// <param name="epochs">The store's epochs.</param>
    /// <param name="flusher">Where its pages go.</param>
    /// <param name="bytes">How much memory it may take.</param>
    public PagedLog<TProbe> MakeLog<TProbe>(EpochTable<TProbe> epochs, PageFlusher<TProbe> flusher, long bytes)
        where TProbe : struct, IProbe
    {
        var shape = new LogShape(
            Metadata.Schema, Metadata.Seed, Plan.PageBits, (int)Math.Min(bytes >> Plan.PageBits, int.MaxValue / 2),
            Options.MutableFraction);
        PagedLog<TProbe> log = Options.Allocator == RecordAllocatorKind.Hybrid
            ? new HybridLog<TProbe>(epochs, flusher, shape)
            : new AppendOnlyLog<TProbe>(epochs, flusher, shape);
        flusher.Attach(log);
        return log;
    }
}
