using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Index.Entries;
using Faster.Log;

namespace Faster.Opening;

/// <summary>The components and settings from which a store is built. Immutable.</summary>
internal sealed record StorePlan
{
    /// <summary>The default of <see cref="FreeBatch"/>.</summary>
    public const int DefaultFreeBatch = 128;

    /// <summary>The options, with those that the folder determines.</summary>
    public required StoreOptions Options { get; init; }

    /// <summary>The division of the memory budget.</summary>
    public required MemoryPlan Plan { get; init; }

    /// <summary>The properties that do not change over the store's lifetime.</summary>
    public required StoreMetadata Metadata { get; init; }

    /// <summary>Makes the index that the keys' entries lie in; null: the hash index of the tier.</summary>
    public IEntryIndexMaker? EntryIndex { get; init; }

    /// <summary>The files of the folder; null for a store in memory only.</summary>
    public StoreFiles? Files { get; init; }

    /// <summary>The commits in the folder.</summary>
    public CommitCatalog? Catalog { get; init; }

    /// <summary>The commit to recover; null for an empty store.</summary>
    public CommitRecord? Commit { get; init; }

    /// <summary>The damaged commits that are newer than <see cref="Commit"/>.</summary>
    public IReadOnlyList<DamagedDataException> Skipped { get; init; } = [];

    /// <summary>
    /// Whether to start the store's I/O thread and the tasks that maintain the log's age and size. False under a test's
    /// scheduler, whose own threads do the I/O thread's work.
    /// </summary>
    public bool StartsThreads { get; init; } = true;

    /// <summary>The number of free blocks that a session shares at a time, in memory only; fewer in tests.</summary>
    public int FreeBatch { get; init; } = DefaultFreeBatch;

    /// <summary>Distinguishes the blocks of one log of the store from those of another; 0 for the first log.</summary>
    public ulong LogNumber { get; init; }

    /// <summary>What the files of the log are named after.</summary>
    public string LogName { get; init; } = StoreFileNames.MainLog;

    /// <summary>The version of the first operations; by default the one after the commit's.</summary>
    public long FirstVersion
    {
        get => field != 0 ? field : (Commit?.Version ?? 0) + 1;
        init;
    }

    /// <summary>The plan in a folder.</summary>
    public StorePlan In(FolderState state) => this with
    {
        Files = state.Files, Catalog = state.Catalog, Commit = state.Commit, Skipped = state.Skipped,
    };

    /// <summary>The unit in bytes in which the log's device releases space.</summary>
    public long SpaceUnit => Files is not null && Options.Device is null ? Metadata.SegmentBytes : 1;

    /// <summary>Opens the storage of the log.</summary>
    public LogStorage OpenStorage() => new(
        Options.Device ?? Files?.OpenLog(LogName, Metadata.SegmentBytes, Options.UnbufferedIO) ?? new MemoryDevice(),
        new BlockGeometry(Plan.PageBits), new BlockIdentity(Metadata.Identity ^ LogNumber, Incarnation: 1));

    /// <summary>Creates the log and attaches it to the flusher.</summary>
    /// <param name="epochs">The store's epochs.</param>
    /// <param name="flusher">Writes the log's pages to the storage.</param>
    /// <param name="bytes">The memory of the log in bytes.</param>
    public PagedLog MakeLog(EpochTable epochs, PageFlusher flusher, long bytes)
    {
        var shape = new LogShape(
            Metadata.Schema, Metadata.Seed, Plan.PageBits, (int)Math.Min(bytes >> Plan.PageBits, int.MaxValue / 2),
            Options.MutableFraction);
        PagedLog log = Options.Allocator == RecordAllocatorKind.Hybrid
            ? new HybridLog(epochs, flusher, shape)
            : new AppendOnlyLog(epochs, flusher, shape);
        flusher.Attach(log);
        return log;
    }
}
