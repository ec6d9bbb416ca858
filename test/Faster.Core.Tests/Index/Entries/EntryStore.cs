using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Index.Entries;
using Faster.Store;
using Faster.Store.Opening;
using Faster.Tests.Compaction;
using Faster.Tests.Store.Opening;
using Faster.Tests.Store.Operations;

namespace Faster.Tests.Index.Entries;

/// <summary>A small store as it ships whose keys have their entries in buckets or in chunks.</summary>
internal static class EntryStore
{
    /// <summary>The bits of the hash that choose a chunk.</summary>
    public const int ChunkBits = 10;

    /// <summary>Opens a new store in a folder, or with its log on a device in memory.</summary>
    /// <param name="kind">Where the entries lie.</param>
    /// <param name="capacity">How many chunks may be written.</param>
    /// <param name="schema">The shape of its records; null: that of counters.</param>
    /// <param name="options">Its options; null: a small log that is on disk for the most part.</param>
    /// <param name="folder">The folder, or null.</param>
    public static FasterStore<NoProbe> Open(
        EntryKind kind, int capacity, RecordSchema? schema = null, StoreOptions? options = null, string? folder = null)
    {
        RecordSchema shape = schema ?? CounterOperations.Schema;
        options = (options ?? GarbageStore.Small).For(folder);
        MemoryPlan plan = MemoryPlan.For(options, shape);
        var storePlan = new StorePlan
        {
            Options = options, Plan = plan, EntryIndex = Of(kind, capacity),
            Metadata = StoreMetadata.New(shape, plan.PageBits, options.SegmentSize),
        };
        if (folder is null) return new FasterStore<NoProbe>(storePlan, null, default);
        StoreFiles files = FolderFiles.OpenFolder(folder, options.UnbufferedIO, options.IOMode);
        CommitCatalog.BeginEmpty(files);
        storePlan.Metadata.Publish(files);
        var catalog = new CommitCatalog(files, storePlan.Metadata.Identity);
        return new FasterStore<NoProbe>(storePlan with { Files = files, Catalog = catalog }, null, default);
    }

    /// <summary>What a plan of a store says of its entries.</summary>
    public static IEntryIndexMaker? Of(EntryKind kind, int capacity) =>
        kind == EntryKind.Buckets ? null : new Maker(capacity);

    /// <summary>The index of chunks; null if the entries lie in buckets.</summary>
    public static ChunkIndex<TProbe>? Chunks<TProbe>(this FasterStore<TProbe> store)
        where TProbe : struct, IProbe => store.Tier.Entries as ChunkIndex<TProbe>;

    /// <summary>A session whose operations find their entries where the store has them.</summary>
    public static EntryClient<TProbe> Client<TProbe>(this FasterStore<TProbe> store, EntryKind kind)
        where TProbe : struct, IProbe => kind == EntryKind.Buckets
            ? EntryClient<TProbe>.Of<HashEntries<TProbe>>(store)
            : EntryClient<TProbe>.Of<ChunkEntries<TProbe>>(store);

    private sealed class Maker(int capacity) : IEntryIndexMaker
    {
        public ITierIndex Make<TProbe>(EpochTable<TProbe> epochs)
            where TProbe : struct, IProbe => new ChunkIndex<TProbe>(epochs, ChunkBits, capacity);
    }
}
