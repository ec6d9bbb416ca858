using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Engines;
using Faster.HashChunks;
using Faster.Index.Entries;
using Faster.Opening;
using Faster.Tests.Compaction;
using Faster.Tests.Opening;
using Faster.Tests.Operations;

namespace Faster.Tests.Index.Entries;

/// <summary>A small store as it ships whose keys have their entries in buckets or in chunks.</summary>
internal static class EntryStore
{
    /// <summary>Opens a new store of counters, whose log is on a device in memory for the most part.</summary>
    /// <param name="entries">Where the entries lie.</param>
    public static FasterStore Open(EntryMaker entries) => Open(entries, CounterOperations.Schema, null);

    /// <summary>Opens a new store.</summary>
    /// <param name="entries">Where the entries lie.</param>
    /// <param name="schema">The keys and values.</param>
    /// <param name="folder">The store's folder, which does not exist yet; null: in memory only.</param>
    public static FasterStore Open(EntryMaker entries, RecordSchema schema, string? folder)
    {
        StoreOptions options = GarbageStore.Small.For(folder);
        MemoryPlan plan = MemoryPlan.For(options, schema);
        var storePlan = new StorePlan
        {
            Options = options, Plan = plan, EntryIndex = entries.OfPlan,
            Metadata = StoreMetadata.New(nameof(FasterEngine), schema, plan.PageBits, options.SegmentSize),
        };
        if (folder is null) return new FasterStore(storePlan, null, default);
        FolderFiles files = FolderFiles.OpenFolder(folder);
        CommitCatalog.BeginEmpty(files);
        storePlan.Metadata.Publish(files);
        var catalog = new CommitCatalog(files, storePlan.Metadata.Identity);
        return new FasterStore(storePlan with { Files = files, Catalog = catalog }, null, default);
    }

    /// <summary>A session of counters whose operations find their entries where the store has them.</summary>
    public static EntryClient Client(this FasterStore store, EntryKind kind) => new(store.Runner(kind));

    /// <summary>A session whose operations find their entries where the store has them.</summary>
    public static EntryRunner Runner(
        this FasterStore store, EntryKind kind, string? name = null) => kind == EntryKind.Buckets
            ? EntryRunner.Of<HashEntries>(store, name)
            : EntryRunner.Of<ChunkEntries>(store, name);
}
