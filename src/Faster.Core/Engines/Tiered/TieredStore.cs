using System.ComponentModel;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Checkpoints.Recovery;
using Faster.Commits;
using Faster.Compaction;
using Faster.Compaction.Batches;
using Faster.Compaction.Copying;
using Faster.Compaction.Expiry;
using Faster.Compaction.Truncation;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Engines.Tiered.Scans;
using Faster.HashChunks;
using Faster.Log;
using Faster.LogCommits;
using Faster.Opening;
using Faster.Stores;
using Faster.Tiers;

namespace Faster.Engines.Tiered;

/// <summary>
/// The tiered store F2 (paper 003): a hot tier, in which everything is written, above a cold one, to which the oldest
/// part of the hot log is moved (docs/internals/tiers.md).
/// </summary>
/// <remarks>Thread-safe. Operations go through sessions; a store may have any number of them.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public partial class TieredStore : LogStore
{
    private const int MinGain = 8; // of a pass through the cold log, which nothing else may write
    private const double FullIndex = 0.85; // keys come and go: what another table would take is worth more to records

    private readonly Device _indexDevice;
    private readonly DurableLog _chunks; // the log of the cold index, as commits capture it
    private readonly HotLogCompactor _hotCompactor;
    private readonly DiskBudgetCompactor? _coldCompactor;
    private readonly ExpiredLogCompactor[] _expiries; // of the hot log and the cold one
    private readonly CopyBatches _batches;
    private HeldSpace? _hotSpace, _coldSpace;

    /// <summary>
    /// Creates a store from a plan, and recovers it if the plan has a commit. The store owns what the plan holds.
    /// </summary>
    internal TieredStore(
        TieredPlan plan, IProgress<RecoveryProgress>? progress = null, CancellationToken ct = default)
        : base(plan.Hot)
    {
        (Options, MemoryPlan hot) = (plan.Options, plan.Hot.Plan);
        Hot = new Tier(Core, plan.Hot);
        _indexDevice = OpenIndexDevice(plan);
        var identity = new BlockIdentity(plan.Hot.Metadata.Identity ^ TieredPlan.ColdIndexLog, Incarnation: 1);
        Cold = new Tier(Core, plan.Cold with
        {
            EntryIndex = new ChunkIndexMaker(plan.ColdIndex, _indexDevice, identity, Core.OnFault),
        });
        ColdIndex = (ChunkIndex)Cold.Entries;
        Hot.Below = Cold;
        Sizer = new IndexSizer(Hot, hot) { Full = FullIndex };
        _batches = new CopyBatches(hot.CompactionThreads, () => new CopyBatch(plan.Batch, ColdIndex.BeginSweep()));
        Copies = new CopyPause
        {
            IsFull = () => IndexCompactor!.IsFull && !HotTruncation!.IsClosing, OnFull = () => IndexCompactor!.Wake(),
        };
        Func<Task> commit = plan.Hot.Files is null
            ? Compactor.NoCommit
            : () => FreeAsync(() => HotTruncation!.IsClosing);
        Func<Task> free = Options.DiskBudget.Bytes == 0 ? Compactor.NoCommit : commit; // after each step
        Moved = new MovedPart(Hot.PagedLog!, Cold.PagedLog!);
        HotLog = new TierLog(
            CommittedLog.Main, Hot, plan.Hot,
            truncation => Moved.Noting(CopierOf(truncation, Hot, new HotColdStages())));
        ColdLog = new TierLog(
            StoreFileNames.ColdLog, Cold, plan.Cold,
            truncation => CopierOf(truncation, Cold, new ColdColdStages(Hot, Moved)));
        IndexCompactor = MakeIndexCompactor(plan, commit);
        _chunks = new DurableLog(
            StoreFileNames.ChunkLog, ColdIndex.Log.Pages, ColdIndex.Log.Storage, ColdIndex.Log.Flusher,
            IndexCompactor.Rising, IndexCompactor.Space, new LogAgeIndex(Core.Options.TimeProvider));
        Recover(plan.Hot, progress, ct);
        if (Recovery is not null) Moved.NoteRecovered();
        Cold.Log.NextVersionStart = long.MaxValue; // its records belong to no version
        if (plan.ColdDiskBudget != 0)
        {
            _coldCompactor = new DiskBudgetCompactor(
                Cold, ColdTruncation, ColdLog.Space, new ByteSize(plan.ColdDiskBudget),
                "the cold log's part of TieredOptions.DiskBudget", MinGain)
            {
                Commit = free,
            };
        }

        _hotCompactor = new HotLogCompactor(
            Hot, HotTruncation, HotLog.Space, plan.HotLogSize, hasBudget: plan.ColdDiskBudget != 0)
        {
            Commit = free, WaitForSpace = ct => _coldCompactor?.WaitForSpaceAsync(ct) ?? Task.FromResult(long.MaxValue),
        };
        _expiries = MakeExpiries(plan, commit);
        Analytics = new TieredAnalytics(this, plan.Hot.Catalog, _hotSpace, _coldSpace);
        if (Options.PopulateMemory)
        {
            Hot.PopulateMemory(hot, mayCache: Cold.Log.TailAddress > Cold.Log.BeginAddress);
            Cold.PopulateMemory(plan.Cold.Plan, mayCache: false);
        }

        Start(plan.Hot, progress, ct);
    }

    /// <inheritdoc/>
    public override TieredOptions Options { get; }

    /// <summary>The tier with the newest records of the keys that are written.</summary>
    internal Tier Hot { get; }

    /// <summary>The tier with the records that were moved out of the hot one.</summary>
    internal Tier Cold { get; }

    /// <summary>The cold tier's index, in hash chunks (003 §6).</summary>
    internal ChunkIndex ColdIndex { get; }

    /// <summary>Compacts the log of the cold tier's index.</summary>
    internal ChunkCompactor IndexCompactor { get; }

    /// <summary>The hot log, with what reclaims its space.</summary>
    internal TierLog HotLog { get; }

    /// <summary>The cold log, with what reclaims its space.</summary>
    internal TierLog ColdLog { get; }

    /// <summary>Hot-cold compaction: what is truncated of the hot log was copied to the cold log.</summary>
    internal LogTruncation HotTruncation => HotLog.Truncation;

    /// <summary>Cold-cold compaction: copies to the cold log's own tail.</summary>
    internal LogTruncation ColdTruncation => ColdLog.Truncation;

    /// <summary>Keeps compactions from writing into the cold tier while a commit captures it.</summary>
    internal CopyPause Copies { get; }

    /// <summary>What of the hot log may have copies in the cold log.</summary>
    internal MovedPart Moved { get; }

    /// <summary>Moves the live records of the hot log below an address to the cold log.</summary>
    /// <param name="untilAddress">The address, rounded down to the start of a page; at most the hot log's tail.</param>
    internal Task<CompactionResult> CompactHotAsync(long untilAddress) => HotTruncation.CompactAsync(untilAddress);

    /// <summary>Copies the live records of the cold log below an address to its tail.</summary>
    /// <param name="untilAddress">
    /// The address, rounded down to the start of a page; at most the cold log's tail.
    /// </param>
    internal Task<CompactionResult> CompactColdAsync(long untilAddress) => ColdTruncation.CompactAsync(untilAddress);

    private static bool IndexHasFiles(TieredPlan plan) =>
        plan.Hot.Files is not null && plan.Options.ColdIndexDevice is null;

    private static Device OpenIndexDevice(TieredPlan plan) => IndexHasFiles(plan)
        ? plan.Hot.Files!.OpenLog(
            StoreFileNames.ChunkLog, plan.Hot.Metadata.ColdIndex!.SegmentBytes, plan.Options.UnbufferedIO)
        : plan.Options.ColdIndexDevice ?? new MemoryDevice();

    private ChunkCompactor MakeIndexCompactor(TieredPlan plan, Func<Task> commit) =>
        new(ColdIndex, new StepWaits(Core.Epochs), Core.OnFault)
        {
            Space = new DiskSpace(
                ColdIndex.Log.Storage, ColdIndex.Log.Pages.Pins,
                IndexHasFiles(plan) ? plan.Hot.Metadata.ColdIndex!.SegmentBytes : 1),
            Commit = commit,
            HasBudget = plan.Hot.Files is not null && Options.DiskBudget.Bytes != 0,
            Freed = Copies.LookAgain,
        };

    private ExpiredLogCompactor[] MakeExpiries(TieredPlan plan, Func<Task> commit) =>
    [
        new(Hot, HotTruncation, ExpiryFile.Of(plan.Hot, CommittedLog.Main))
        {
            Commit = commit, Step = (until, ct) => _hotCompactor.MoveAsync(() => until, ct),
        },
        new(Cold, ColdTruncation, ExpiryFile.Of(plan.Cold, StoreFileNames.ColdLog))
        {
            Commit = commit, Rested = IndexCompactor.LookForDead,
        },
    ];

    private protected override Func<long>[] RecoverySteps(
        CommitFolder folder, CommitRecord commit, IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        long Recover(Tier tier, DurableLog log, IndexReplay replay) =>
            new TierRecovery(folder, tier, log, commit, replay).Run(progress, ct);

        return
        [
            () => Recover(Hot, HotLog.Durable, IndexReplay.OfUpperTier),
            () => Recover(Cold, ColdLog.Durable, IndexReplay.None),
            () => Recover(Cold, _chunks, IndexReplay.None),
            () =>
            {
                DirectoryFile.Read(
                    folder.Files, commit.PartOf(_chunks.Name).File!, folder.Identity, ColdIndex.Directory,
                    commit.LogOf(_chunks.Name));
                return 0;
            },
        ];
    }

    private protected override ICommitParticipant[] MakeParticipants(CommitFolder folder, CommitRecord? recovered)
    {
        var hot = new LogParticipant(folder, Hot, HotLog.Durable, recovered);
        var cold = new ColdParticipant(
            folder, ColdLog.Durable, _chunks, ColdIndex.Directory, Copies, Core.Commits, new StepWaits(Core.Epochs),
            recovered);
        (_hotSpace, _coldSpace) = (hot.Held, cold.HeldLog);
        return [hot, cold];
    }

    private protected override void StartThreads()
    {
        base.StartThreads();
        ColdIndex.Start();
    }

    private protected override void StartCompactions()
    {
        HotTruncation.Start();
        ColdTruncation.Start();
        IndexCompactor.Start();
        _hotCompactor.Start();
        _coldCompactor?.Start();
        foreach (ExpiredLogCompactor expiries in _expiries) expiries.Start();
    }

    private protected override void StopCompactions()
    {
        foreach (ExpiredLogCompactor expiries in _expiries) expiries.Stop();
        HotTruncation.Dispose();
        ColdTruncation.Dispose();
        _hotCompactor.Dispose(); // a step that waits for space may keep that of another task waiting
        _coldCompactor?.Dispose();
        foreach (ExpiredLogCompactor expiries in _expiries) expiries.Dispose();
        IndexCompactor.Dispose();
    }

    private protected override Action[] OwnParts =>
        [ColdIndex.Log.Stop, () => Release(_indexDevice, Options.ColdIndexDevice)];

    private LiveRecordCopier CopierOf(LogTruncation truncation, Tier from, IBatchStages stages) =>
        new(CopyRoute.Of(truncation, from, Cold) with { Pause = Copies }, new BatchedCopy(_batches, stages));

    private protected override void FreeMemory()
    {
        _batches.Dispose();
        base.FreeMemory();
        ColdIndex.Dispose();
    }
}
