using System.ComponentModel;
using Faster.Analytics.Scans;
using Faster.Caching;
using Faster.Checkpoints.Recovery;
using Faster.Commits;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;
using Faster.LogCommits;
using Faster.LogSessions;
using Faster.LogSessions.Pending;
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
    private readonly StoreFiles? _files;
    private readonly IndexSizer _sizer;
    private readonly PeriodicCommits? _periodic;
    private readonly ClosingCommit? _closingCommit;
    private readonly bool _ownsDevice = true;

    /// <summary>
    /// Creates a store from a plan, and recovers it if the plan has a commit. The store owns what the plan holds.
    /// </summary>
    internal FasterStore(StorePlan storePlan, IProgress<RecoveryProgress>? progress, CancellationToken ct)
        : base(storePlan)
    {
        _files = storePlan.Files;
        Tier = new Tier(Core, storePlan);
        if (Tier.PagedLog is not null)
        {
            Tier.IO = new IOThread(Tier);
            Reclamation = new LogReclamation(Tier, storePlan);
        }

        _sizer = new IndexSizer(Tier, Core.MemoryPlan);
        LogParticipant? participant = null;
        if (_files is not null && Tier.PagedLog is not null)
        {
            var folder = new CommitFolder(_files, storePlan.Metadata.Identity, storePlan.Catalog!);
            if (storePlan.Commit is { } found)
            {
                try
                {
                    var tier = new TierRecovery(folder, Tier, Reclamation!.Durable, found, IndexReplay.OfOnlyTier);
                    Recovery = new StoreRecovery(folder, Core, storePlan).Run(() => tier.Run(progress, ct));
                }
                catch
                {
                    _ownsDevice = Options.Device is null; // the caller may try an older commit on it
                    Core.Closing.CloseAll(OwnParts);
                    throw;
                }
            }

            participant = new LogParticipant(folder, Tier, Reclamation!.Durable, storePlan.Commit);
            Core.Publisher = new CommitPublisher(_files, folder.Catalog, OnFault);
            var host = new CommitHost(Core, (commit, by) => Analytics!.OnCommitted(commit, by), OnCommitted);
            Core.Coordinator = host.MakeCoordinator([participant], Core.Publisher, storePlan.Commit);
            _closingCommit = new ClosingCommit(Core.Coordinator, Core.Publisher, Options, _files.Name);
            if (PeriodicCommits.AreWanted(Options)) _periodic = new PeriodicCommits(Tier, Core.Coordinator);
        }

        if (Options.PopulateMemory)
            Tier.PopulateMemory(Core.MemoryPlan, mayCache: Tier.Log.HeadAddress > Tier.Log.BeginAddress);
        Index.ByteLimit = Core.MemoryPlan.IndexLimit;
        Analytics = new StoreAnalytics(this, storePlan.Catalog, participant?.Held);
        _sizer.Listen();
        if (storePlan.StartsThreads) Tier.IO?.Start();
        _periodic?.Start();
        if (storePlan.StartsThreads) Reclamation?.Start(participant, Core.Coordinator);
        progress?.Report(new RecoveryProgress(RecoveryStep.Done, 0, 0));
    }

    /// <inheritdoc/>
    public override StoreOptions Options => Core.Options;

    /// <inheritdoc/>
    public override StoreStatistics Statistics => WithShared(StatisticsReader.Read(this, _sizer, Core.Faults));

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

    private protected override IndexSizer Sizer => _sizer;

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

    private protected override Task CloseAsync(bool blocks) => Core.Closing.RunAsync(
        blocks, BackgroundWork, CommitLastAsync, [_sizer.Close, Analytics.Close, .. OwnParts, () => _files?.Dispose()]);

    /// <summary>Makes a store without the types of emitted code.</summary>
    internal static FasterStore Plain(StoreStart start) => new(start.Plan, start.Progress, start.Ct);

    private LogTruncation Truncation()
    {
        Core.Closing.ThrowIfUnusable();
        return Reclamation?.Truncation ?? throw new NotSupportedException(
            "A store with the in-memory allocator has no log to truncate or compact. Open it with another allocator.");
    }

    // What ends when the sessions are closed, in order.
    private Action[] BackgroundWork => [() => _periodic?.Dispose(), () => Reclamation?.Dispose(), EndResizes];

    // A resize holds a commit up. Without a commit it may be abandoned.
    private void EndResizes()
    {
        if (_closingCommit is { IsDue: true }) _sizer.EndResizes();
    }

    private Task<StorageException?> CommitLastAsync() =>
        _closingCommit?.RunAsync(Index.IsResizing) ?? Task.FromResult<StorageException?>(null);

    // The steps for what exists before background work starts.
    private Action[] OwnParts =>
    [
        () => Tier.IO?.Dispose(), () => Tier.Reader?.CloseQueues(),
        () => (_ownsDevice ? Tier.Storage?.Device : null)?.Dispose(), FreeMemory,
    ];

    // If a session is still inside an epoch, the memory is leaked rather than freed under it.
    private void FreeMemory()
    {
        if (Core.Closing.TryDrain()) Tier.FreeMemory();
    }
}
