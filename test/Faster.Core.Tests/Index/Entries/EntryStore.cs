using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.HashChunks;
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
    /// <summary>Opens a new store of counters, whose log is on a device in memory for the most part.</summary>
    /// <param name="entries">Where the entries lie.</param>
    public static FasterStore<NoProbe> Open(EntryMaker entries)
    {
        StoreOptions options = GarbageStore.Small.For(null);
        MemoryPlan plan = MemoryPlan.For(options, CounterOperations.Schema);
        var storePlan = new StorePlan
        {
            Options = options, Plan = plan, EntryIndex = entries.OfPlan,
            Metadata = StoreMetadata.New(CounterOperations.Schema, plan.PageBits, options.SegmentSize),
        };
        return new FasterStore<NoProbe>(storePlan, null, default);
    }

    /// <summary>A session whose operations find their entries where the store has them.</summary>
    public static EntryClient<TProbe> Client<TProbe>(this FasterStore<TProbe> store, EntryKind kind)
        where TProbe : struct, IProbe => kind == EntryKind.Buckets
            ? EntryClient<TProbe>.Of<HashEntries<TProbe>>(store)
            : EntryClient<TProbe>.Of<ChunkEntries<TProbe>>(store);
}
