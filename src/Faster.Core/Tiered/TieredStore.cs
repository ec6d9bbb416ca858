using System.ComponentModel;
using Faster.Commits;
using Faster.Compaction;
using Faster.Compaction.Copying;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.HashChunks;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Sessions;
using Faster.Store;
using Faster.Store.Opening;
using Faster.Tiers;

namespace Faster.Tiered;

/// <summary>
/// The tiered store F2 (paper 003): a hot tier, in which everything is written, above a cold one, to which the oldest
/// part of the hot log is moved (docs/internals/tiers.md).
/// </summary>
/// <remarks>
/// <para>It has no commits yet: what it holds ends with it.</para>
/// <para>Thread-safe. Operations go through sessions.</para>
/// </remarks>
/// <typeparam name="TProbe">A test's probe, or <see cref="NoProbe"/>.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed partial class TieredStore<TProbe>
    where TProbe : struct, IProbe
{
    private readonly IndexSizer<TProbe> _sizer;
    private readonly Device _indexDevice;
    private readonly HotLogCompactor<TProbe> _hotCompactor;
    private readonly DiskBudgetCompactor<TProbe>? _coldCompactor;

    /// <summary>Creates an empty store, which owns what the plan holds.</summary>
    internal TieredStore(TieredPlan plan)
    {
        (Options, MemoryPlan hot) = (plan.Options, plan.Hot.Plan);
        Core = new StoreCore<TProbe>(this, plan.Hot)
        {
            StartInternal = owner => new TieredSession<TProbe>(this, owner),
        };
        Hot = new Tier<TProbe>(Core, plan.Hot);
        _indexDevice = Options.ColdIndexDevice ?? new MemoryDevice();
        var identity = new BlockIdentity(plan.Hot.Metadata.Identity ^ TieredPlan.ColdIndexLog, Incarnation: 1);
        Cold = new Tier<TProbe>(Core, plan.Cold with
        {
            EntryIndex = new ChunkIndexMaker(plan.ColdIndex, _indexDevice, identity, Core.OnFault),
        });
        ColdIndex = (ChunkIndex<TProbe>)Cold.Entries;
        Hot.Below = Cold;
        foreach (Tier<TProbe> tier in Core.Tiers) tier.IOThread!.Helper = Core.StartInternal("the store's I/O thread");
        _sizer = new IndexSizer<TProbe>(Hot, hot);
        Hot.Index.ByteLimit = hot.IndexLimit;
        HotTruncation = Truncation(Hot, truncation =>
            new LiveRecordCopier<TProbe, HashEntries<TProbe>, ChunkEntries<TProbe>>(
                Hot, Cold, truncation.Liveness, truncation.Steps, hot.CompactionThreads, () => truncation.IsClosing,
                new CopyMemory(plan.MovingPages)));
        ColdTruncation = Truncation(Cold, truncation =>
            new LiveRecordCopier<TProbe, ChunkEntries<TProbe>, ChunkEntries<TProbe>>(
                Cold, Cold, truncation.Liveness, truncation.Steps, hot.CompactionThreads, () => truncation.IsClosing));
        _hotCompactor = new HotLogCompactor<TProbe>(Hot, HotTruncation, plan.HotLogSize);
        if (plan.ColdDiskBudget != 0)
        {
            _coldCompactor = new DiskBudgetCompactor<TProbe>(
                Cold, ColdTruncation, new DiskSpace(Cold.Storage!, 1), null, ColdTruncation.ReleaseAsync,
                new ByteSize(plan.ColdDiskBudget), "the cold log's part of TieredOptions.DiskBudget");
        }

        IndexCompactor = new ChunkCompactor<TProbe>(ColdIndex, new StepWaits<TProbe>(Core.Epochs), Core.OnFault);
        _sizer.Listen();
        if (!plan.Hot.StartsThreads) return;
        foreach (Tier<TProbe> tier in Core.Tiers) tier.IOThread!.Start();
        ColdIndex.Start();
        IndexCompactor.Start();
        _hotCompactor.Start();
        _coldCompactor?.Start();
    }

    /// <summary>The options with which the store was opened.</summary>
    public TieredOptions Options { get; }

    /// <summary>What both tiers and the sessions share.</summary>
    internal StoreCore<TProbe> Core { get; }

    /// <summary>The tier with the newest records of the keys that are written.</summary>
    internal Tier<TProbe> Hot { get; }

    /// <summary>The tier with the records that were moved out of the hot one.</summary>
    internal Tier<TProbe> Cold { get; }

    /// <summary>The cold tier's index, in hash chunks (003 §6).</summary>
    internal ChunkIndex<TProbe> ColdIndex { get; }

    /// <summary>Compacts the log of the cold tier's index.</summary>
    internal ChunkCompactor<TProbe> IndexCompactor { get; }

    /// <summary>Hot-cold compaction: what is truncated of the hot log was copied to the cold log.</summary>
    internal LogTruncation<TProbe> HotTruncation { get; }

    /// <summary>Cold-cold compaction: copies to the cold log's own tail.</summary>
    internal LogTruncation<TProbe> ColdTruncation { get; }

    /// <summary>Starts a logical client of the store.</summary>
    /// <param name="name">A name that no open session has, or null.</param>
    /// <exception cref="SessionMisuseException">The name is in use.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public TieredSession<TProbe> StartSession(string? name = null)
    {
        Core.Closing.ThrowIfUnusable();
        if (name is not null) SessionRegistry<TProbe>.CheckName(name);
        TieredSession<TProbe> session = Core.Sessions.Start(name, mustBeKnown: false, entry =>
        {
            ClosedStore.ThrowIf(Core.Closing.HasBegun); // under the registry's lock, as closing is
            return new TieredSession<TProbe>(this, name, entry);
        });
        session.TimeToLive = Options.TimeToLive;
        return session;
    }

    /// <summary>Moves the live records of the hot log below an address to the cold log.</summary>
    /// <param name="untilAddress">The address, rounded down to the start of a page; at most the hot log's tail.</param>
    internal Task<CompactionResult> CompactHotAsync(long untilAddress) => HotTruncation.CompactAsync(untilAddress);

    /// <summary>Copies the live records of the cold log below an address to its tail.</summary>
    /// <param name="untilAddress">
    /// The address, rounded down to the start of a page; at most the cold log's tail.
    /// </param>
    internal Task<CompactionResult> CompactColdAsync(long untilAddress) => ColdTruncation.CompactAsync(untilAddress);

    /// <summary>Closes the sessions and the store.</summary>
    public void Dispose() => CloseAsync(blocks: true).GetAwaiter().GetResult();

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync() => new(CloseAsync(blocks: false));

    private static LogTruncation<TProbe> Truncation(
        Tier<TProbe> tier, Func<LogTruncation<TProbe>, ILiveRecordCopier> makeCopier)
    {
        var ages = new LogAgeIndex(tier.Core.Options.TimeProvider);
        tier.PagedLog!.Writes.Time = tier.Core.Options.TimeProvider;
        return new LogTruncation<TProbe>(tier, ages, new DiskSpace(tier.Storage!, 1), makeCopier);
    }

    private Task CloseAsync(bool blocks) => Core.Closing.RunAsync(
        blocks, [StopCompactions], () => Task.FromResult<StorageException?>(null),
        [_sizer.Close, .. OwnParts]);

    private void StopCompactions()
    {
        HotTruncation.Dispose();
        ColdTruncation.Dispose();
        _hotCompactor.Dispose();
        _coldCompactor?.Dispose();
        IndexCompactor.Dispose();
    }

    private Action[] OwnParts =>
    [
        .. Core.Tiers.SelectMany<Tier<TProbe>, Action>(static tier =>
        [
            () => tier.IOThread!.Dispose(), () => tier.IOThread!.Helper!.Close(), () => tier.Reader!.CloseQueues(),
            () => tier.Storage!.Device.Dispose(),
        ]),
        ColdIndex.Log.Stop, FreeMemory, _indexDevice.Dispose,
    ];

    // If a session is still inside an epoch, the memory is leaked rather than freed under it.
    private void FreeMemory()
    {
        if (!Core.Closing.TryDrain()) return;
        foreach (Tier<TProbe> tier in Core.Tiers) tier.FreeMemory();
        ColdIndex.Dispose();
    }
}
