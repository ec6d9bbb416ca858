using Faster.Checkpoints.Files;
using Faster.Contracts;
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
    private const int ChunkBits = 10; // of the hash: they choose a chunk

    /// <summary>Opens a new store of counters, whose log is on a device in memory for the most part.</summary>
    /// <param name="kind">Where the entries lie.</param>
    /// <param name="capacity">How many chunks may be written.</param>
    public static FasterStore<NoProbe> Open(EntryKind kind, int capacity)
    {
        StoreOptions options = GarbageStore.Small.For(null);
        MemoryPlan plan = MemoryPlan.For(options, CounterOperations.Schema);
        var storePlan = new StorePlan
        {
            Options = options, Plan = plan, EntryIndex = Of(kind, capacity),
            Metadata = StoreMetadata.New(CounterOperations.Schema, plan.PageBits, options.SegmentSize),
        };
        return new FasterStore<NoProbe>(storePlan, null, default);
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
