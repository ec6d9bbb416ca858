using System.Reflection;
using Faster.Workload.Engines;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines.Awaited;
using Faster.Ycsb.Engines.Bare;
using Faster.Ycsb.Engines.Chaining;
using Faster.Ycsb.Engines.HotRing;
using Faster.Ycsb.Engines.Native;
using Faster.Ycsb.Engines.Tiered;
using Faster.Ycsb.Engines.Transactions;

namespace Faster.Ycsb.Engines;

/// <summary>
/// All engines, ours and peers: a further one is a line here, and a source in the program that runs it.
/// </summary>
internal static class EngineCatalog
{
    private static readonly CommitForm[] EveryForm = Enum.GetValues<CommitForm>();
    private static readonly CommitForm[] WholeForms = [CommitForm.FoldOver, CommitForm.Snapshot];
    private static readonly WriteForm[] WaitingForms = [WriteForm.Blocking, WriteForm.Batches];

    /// <summary>The engines whose throughput this program measures itself.</summary>
    public static IReadOnlyList<IEngineSource> OwnEngines { get; } =
    [
        new StoreEngineSource(StoreNames.Single),
        new StoreEngineSource(StoreNames.Batch),
        new StoreEngineSource(StoreNames.Prefetch),
        new StoreEngineSource(StoreNames.Populated),
        new StoreEngineSource(StoreNames.Append),
        new StoreEngineSource(StoreNames.Merging),
        new StoreEngineSource(StoreNames.Expiring),
        new StoreEngineSource(StoreNames.Beside),
        new DictionarySource(),
        new RingSource("hotring", HotspotStrategy.StatisticalSampling),
        new RingSource("hotring-batch", HotspotStrategy.StatisticalSampling, batches: true),
        new RingSource("hotring-random", HotspotStrategy.RandomMovement),
        new TieredSource(StoreNames.Tiered),
        new TieredSource(StoreNames.TieredMerging),
        new TieredSource("tiered-batch", batches: true),
        new ChainingSource(),
        new BareSource(batches: false),
        new BareSource(batches: true),
        .. NativeSource.All,
    ];

    /// <summary>The sources of the engines that commit, and that this program runs itself.</summary>
    public static IReadOnlyCollection<ICommitEngineSource> OwnSources { get; } =
        [new StoreSource(populates: false), new StoreSource(populates: true)];

    /// <summary>The engines that acknowledge durable writes, and that this program runs itself.</summary>
    public static IReadOnlyList<IEngineSource> OwnDurable { get; } =
        [.. AwaitedSource.Durable, .. NativeSource.Durable];

    /// <summary>The engines that acknowledge durable writes, by name.</summary>
    public static IReadOnlyDictionary<string, EngineEntry> Durable { get; } =
        OwnDurable.Select(source => new EngineEntry(source.Name, OwnProgram)
        {
            Refuses = source.Refuses,
            Writes = source is AwaitedSource ? Enum.GetValues<WriteForm>() : WaitingForms,
            SharesSyncs = source is AwaitedSource || source.Name == "rocksdb-sync",
        }).Append(new EngineEntry("fasterlog-csharp", PeerProgram)
        {
            Writes = Enum.GetValues<WriteForm>(), SharesSyncs = true,
        }).ToDictionary(e => e.Name);

    /// <summary>The engines that run transactions, by name.</summary>
    public static IReadOnlyDictionary<string, EngineEntry> Transactions { get; } =
        TransactionSource.All.Select(source => new EngineEntry(source.Name, OwnProgram)
            {
                Refuses = source.Refuses,
                Writes = source.Forms,
                SharesSyncs = source.Name == "rocksdb-transactions-sync",
            })
            .Append(new EngineEntry("faster-csharp-lockable", PeerProgram)).ToDictionary(e => e.Name);

    /// <summary>The engines whose throughput or commits are measured, by name.</summary>
    public static IReadOnlyDictionary<string, EngineEntry> Entries { get; } =
        OwnEngines.Select(Own).Concat(
        [
            new EngineEntry("faster-csharp", PeerProgram)
            {
                Forms = WholeForms, Compactions = Enum.GetValues<CompactionMethod>(), Refuses = PeerRefuses,
            },
            new EngineEntry("faster-csharp-safe", PeerProgram) { Forms = WholeForms, Refuses = PeerRefuses },
        ]).ToDictionary(e => e.Name);

    private static string OwnProgram => typeof(EngineCatalog).Assembly.Location;

    private static string PeerProgram => typeof(EngineCatalog).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>().Single(a => a.Key == nameof(PeerProgram)).Value!;

    private static EngineEntry Own(IEngineSource source)
    {
        var entry = new EngineEntry(source.Name, OwnProgram) { Refuses = source.Refuses };
        if (source.Name is StoreNames.Single or StoreNames.Populated)
            entry = entry with { Forms = EveryForm, TellsClients = true };
        return source.Name == StoreNames.Single
            ? entry with { Compactions = [CompactionMethod.Lookup], CompactsByThreads = true }
            : entry;
    }

    private static string? PeerRefuses(EngineShape shape) => FixedValues.Sizes.Contains(shape.ValueBytes)
        ? null
        : $"its values are of {string.Join(", ", FixedValues.Sizes)} bytes here";
}
