using System.ComponentModel;
using Faster.Analytics.Scans;
using Faster.Caching;
using Faster.Checkpoints;
using Faster.Checkpoints.Recovery;
using Faster.Commits;
using Faster.Compaction;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;
using Faster.LogCommits;
using Faster.LogSessions;
using Faster.Opening;
using Faster.Sessions;
using Faster.Stores;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Engines;

/// <summary>
/// The FASTER store (paper 000): a latch-free hash index over a record allocator. Emitted code derives the store type
/// with the user's key and value types from <see cref="FasterStore{TSession, TRecord}"/>.
/// </summary>
/// <remarks>Thread-safe. Operations go through sessions; a store may have any number of them.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public class FasterStore : LogStore, IReclaimingStore
{
    private HeldSpace? _held;

    /// <summary>
    /// Creates a store from a plan, and recovers it if the plan has a commit. The store owns what the plan holds.
    /// </summary>
    internal FasterStore(StorePlan plan, IProgress<RecoveryProgress>? progress, CancellationToken ct)
        : base(plan)
    {
        Tier = new Tier(Core, plan);
        if (Tier.PagedLog is not null) Reclamation = new LogReclamation(Tier, plan);
        Sizer = new IndexSizer(Tier, Core.MemoryPlan);
        Recover(plan, progress, ct);
        Analytics = new StoreAnalytics(this, plan.Catalog, _held);
        if (Options.PopulateMemory)
            Tier.PopulateMemory(Core.MemoryPlan, mayCache: Log.HeadAddress > Log.BeginAddress);
        Start(plan, progress, ct);
    }

    /// <inheritdoc/>
    public override StoreOptions Options => Core.Options;

    /// <inheritdoc/>
    public override StoreStatistics Statistics => WithShared(StatisticsReader.Read(this, Sizer, Core.Faults));

    /// <summary>Scans, history, subscriptions, export and import.</summary>
    internal override StoreAnalytics Analytics { get; }

    /// <summary>The index with its log.</summary>
    internal Tier Tier { get; }

    /// <summary>Reclaims the log's oldest part; null for a store that is in memory only.</summary>
    internal LogReclamation? Reclamation { get; }

    internal EpochTable Epochs => Core.Epochs;
    internal CommitState Commits => Core.Commits;
    internal HashIndex Index => Tier.Index;
    internal RecordAllocator Log => Tier.Log;
    internal ReadCache? Cache => Tier.Cache;

    /// <inheritdoc cref="FasterEngine.OpenAsync"/>
    internal static ValueTask<FasterStore> OpenAsync(
        string? path, StoreOptions options, RecordSchema schema, CancellationToken cancellationToken) =>
        FasterEngine.OpenAsync(path, options, schema, Plain, null, cancellationToken);

    /// <inheritdoc cref="FasterEngine.RecoverAsync"/>
    internal static ValueTask<FasterStore> RecoverAsync(
        string path, StoreOptions options, RecordSchema schema, IProgress<RecoveryProgress>? progress,
        CancellationToken cancellationToken) =>
        FasterEngine.RecoverAsync(path, options, schema, Plain, progress, cancellationToken);

    internal FasterSession StartSession(string? name = null) => (FasterSession)Start(name);

    internal FasterSession ContinueSession(string name, out CommitPoint point) =>
        (FasterSession)Continue(name, out point);

    /// <summary>
    /// Truncates the log: discards all records below an address. Their pages are flushed and evicted first. A store
    /// with a folder releases the disk space with the second commit afterwards (docs/internals/truncation.md).
    /// </summary>
    /// <param name="untilAddress">The new begin address, rounded down to the start of a page.</param>
    /// <param name="cancellationToken">Cancels the wait, not the truncation.</param>
    /// <exception cref="ArgumentOutOfRangeException">The address is above the tail.</exception>
    /// <exception cref="StorageException">The log cannot be written; nothing is truncated.</exception>
    public Task TruncateAsync(long untilAddress, CancellationToken cancellationToken = default) =>
        Truncation().TruncateAsync(untilAddress).OrCanceled(cancellationToken);

    /// <summary>
    /// Truncates the log's oldest pages, if their records were last changed longer ago than a given age. Records in the
    /// mutable region have no age yet; regular calls give them one.
    /// </summary>
    /// <param name="age">The minimum age of the discarded records.</param>
    /// <param name="cancellationToken">Cancels the wait, not the truncation.</param>
    /// <returns>The new begin address of the log.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The age is negative.</exception>
    /// <exception cref="StorageException">The log cannot be written; nothing is truncated.</exception>
    public Task<long> TruncateOlderThanAsync(TimeSpan age, CancellationToken cancellationToken = default) =>
        Truncation().TruncateOlderThanAsync(age).OrCanceled(cancellationToken);

    /// <summary>
    /// Compacts the log: copies the live records below an address to the tail, and truncates the log there.
    /// </summary>
    /// <param name="untilAddress">The address, rounded down to the start of a page; at most the tail.</param>
    /// <param name="cancellationToken">Cancels the wait, not the compaction.</param>
    /// <exception cref="ArgumentOutOfRangeException">The address is above the tail.</exception>
    /// <exception cref="FasterException">The log cannot be read or written; no record is lost.</exception>
    public Task<CompactionResult> CompactAsync(long untilAddress, CancellationToken cancellationToken = default) =>
        Truncation().CompactAsync(untilAddress).OrCanceled(cancellationToken);

    /// <summary>
    /// Scans all records in the order of the log, including older versions and tombstones. A later record of a key
    /// supersedes an earlier one, unless it is a delta (<see cref="LogScan.IsDelta"/>).
    /// </summary>
    /// <remarks>
    /// The call shifts the read-only address to the tail and scans up to there: records written afterwards are not
    /// included, and updates continue.
    /// </remarks>
    /// <exception cref="NotSupportedException">The store is in memory only: its records have no order.</exception>
    internal LogScan ScanLog()
    {
        Core.Closing.ThrowIfUnusable();
        return Tier.PagedLog is null
            ? throw new NotSupportedException("A store with the in-memory allocator has no log to scan.")
            : new LogScan(Epochs, Tier.PagedLog, Tier.Storage!, Core.Clock, Analytics.Source.Guard);
    }

    private protected override FasterSession MakeSession(string? name, SessionEntry entry) => new(this, name, entry);

    private protected override LogSession StartInternal(string owner) => new FasterSession(this, owner);

    private protected override Func<long>[] RecoverySteps(
        CommitFolder folder, CommitRecord commit, IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        var tier = new TierRecovery(folder, Tier, Reclamation!.Durable, commit, IndexReplay.OfOnlyTier);
        return [() => tier.Run(progress, ct)];
    }

    private protected override ICommitParticipant[] MakeParticipants(CommitFolder folder, CommitRecord? recovered)
    {
        var participant = new LogParticipant(folder, Tier, Reclamation!.Durable, recovered);
        _held = participant.Held;
        return [participant];
    }

    private protected override void StartCompactions() => Reclamation?.Start(
        _held is null ? Compactor.NoCommit : () => FreeAsync(() => Reclamation.Truncation.IsClosing));

    private protected override void StopCompactions() => Reclamation?.Dispose();

    /// <summary>Makes a store without the types of emitted code.</summary>
    internal static FasterStore Plain(StoreStart start) => new(start.Plan, start.Progress, start.Ct);

    private LogTruncation Truncation()
    {
        Core.Closing.ThrowIfUnusable();
        return Reclamation?.Truncation ?? throw new NotSupportedException(
            "A store with the in-memory allocator has no log to truncate or compact. Open it with another allocator.");
    }
}
