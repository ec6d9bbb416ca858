using System.ComponentModel;
using Faster.Analytics;
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
using Faster.Index.Resizing;
using Faster.Log;
using Faster.Sessions;
using Faster.Store.Commits;
using Faster.Store.Opening;
using Faster.Store.Pending;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Store;

/// <summary>
/// The FASTER store (paper 000): a latch-free hash index over a record allocator. Emitted code wraps it in a store type
/// with the user's key and value types.
/// </summary>
/// <remarks>
/// Thread-safe. Operations go through sessions; a store may have any number of them.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed partial class FasterStore : IAsyncDisposable, IDisposable
{
    private readonly StoreFiles? _files;
    private readonly IndexSizer _sizer;
    private readonly CommitCoordinator? _coordinator;
    private readonly PeriodicCommits? _periodic;
    private readonly ClosingCommit? _closingCommit;
    private readonly bool _ownsDevice = true;

    /// <summary>
    /// Creates a store from a plan, and recovers it if the plan has a commit. The store owns what the plan holds.
    /// </summary>
    internal FasterStore(StorePlan storePlan, IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        Core = new StoreCore(this, storePlan)
        {
            StartInternal = owner => new FasterSession(this, owner),
        };
        _files = storePlan.Files;
        Tier = new Tier(Core, storePlan);
        if (Tier.IOThread is { } ioThread)
        {
            ioThread.Helper = Core.StartInternal("the store's I/O thread");
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
            _coordinator = host.MakeCoordinator([participant], Core.Publisher, storePlan.Commit);
            _closingCommit = new ClosingCommit(_coordinator, Core.Publisher, Options, _files.Name);
            if (PeriodicCommits.AreWanted(Options)) _periodic = new PeriodicCommits(Tier, _coordinator);
        }

        if (Options.PopulateMemory)
            Tier.PopulateMemory(Core.MemoryPlan, mayCache: Tier.Log.HeadAddress > Tier.Log.BeginAddress);
        Index.ByteLimit = Core.MemoryPlan.IndexLimit;
        Analytics = new StoreAnalytics(this, storePlan.Catalog, participant?.Held);
        _sizer.Listen();
        if (storePlan.StartsThreads) Tier.IOThread?.Start();
        _periodic?.Start();
        if (storePlan.StartsThreads) Reclamation?.Start(participant, _coordinator);
        progress?.Report(new RecoveryProgress(RecoveryStep.Done, 0, 0));
    }

    /// <summary>
    /// Raised after each commit, in order, on a thread of the store. Handlers must return quickly; an exception that a
    /// handler throws becomes <see cref="StoreStatistics.LastFault"/>.
    /// </summary>
    public event Action<Commit>? Committed;

    /// <summary>
    /// Raised after each internal fault that affected no operation (<see cref="StoreStatistics.FaultCounts"/>), in
    /// order, one at a time, on a thread-pool thread. An exception thrown by a handler is counted as a fault and raises
    /// no event.
    /// </summary>
    public event EventHandler<FaultEventArgs>? FaultOccurred
    {
        add => Core.Faults.Occurred += value;
        remove => Core.Faults.Occurred -= value;
    }

    /// <summary>What opening the store has recovered; null if there was no commit.</summary>
    public RecoveryReport? Recovery { get; }

    /// <summary>The options with which the store was opened.</summary>
    public StoreOptions Options => Core.Options;

    /// <summary>A snapshot of the store's counters and sizes.</summary>
    public StoreStatistics Statistics => StatisticsReader.Read(this, _sizer, Core.Faults);

    /// <summary>Scans, history, subscriptions, export and import.</summary>
    public StoreAnalytics Analytics { get; }

    /// <summary>The state that the store's sessions, tier and background work share.</summary>
    internal StoreCore Core { get; }

    /// <summary>The index with its log.</summary>
    internal Tier Tier { get; }

    /// <summary>Reclaims the log's oldest part; null for a store that is in memory only.</summary>
    internal LogReclamation? Reclamation { get; }

    internal EpochTable Epochs => Core.Epochs;
    internal CommitState Commits => Core.Commits;
    internal HashIndex Index => Tier.Index;
    internal RecordAllocator Log => Tier.Log;
    internal ReadCache? Cache => Tier.Cache;

    /// <summary>
    /// Opens a store. If its folder has a commit, the store is recovered from it; otherwise it is empty.
    /// </summary>
    /// <param name="path">
    /// The store's folder; null for a store that keeps all data in memory and cannot commit.
    /// </param>
    /// <param name="options">The options.</param>
    /// <param name="schema">The layout of the records.</param>
    /// <param name="cancellationToken">Cancels the opening.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="StoreOpenException">
    /// The folder cannot be used, or the options conflict; the message says why.
    /// </exception>
    /// <exception cref="DamagedDataException">Data in the folder is damaged.</exception>
    public static ValueTask<FasterStore> OpenAsync(
        string? path, StoreOptions options, RecordSchema schema, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        return StoreOpener.OpenAsync(path, options, schema, mustExist: false, null, cancellationToken);
    }

    /// <summary>Recovers a store from the last commit in its folder (paper 004 §5.5).</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="options">The options.</param>
    /// <param name="schema">The layout of the records.</param>
    /// <param name="progress">Receives the progress of the recovery on threads of the store; or null.</param>
    /// <param name="cancellationToken">Cancels the recovery, which changes nothing in the folder.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="StoreOpenException">
    /// The folder has no commit or cannot be used, or the options conflict; the message says why.
    /// </exception>
    /// <exception cref="DamagedDataException">Data in the folder is damaged.</exception>
    public static ValueTask<FasterStore> RecoverAsync(
        string path, StoreOptions options, RecordSchema schema, IProgress<RecoveryProgress>? progress,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(options);
        return StoreOpener.OpenAsync(path, options, schema, mustExist: true, progress, cancellationToken);
    }

    /// <summary>
    /// Commits: makes all operations before the call durable, while operations continue (paper 004 §5). Completes
    /// immediately if nothing has changed since the last commit.
    /// </summary>
    /// <param name="kind">How the commit captures the log; null for <see cref="StoreOptions.CommitKind"/>.</param>
    /// <param name="withIndex">
    /// Whether the commit includes a new index checkpoint, which shortens recovery. Commits include one from time to
    /// time anyway.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
    /// <exception cref="StorageException">
    /// The commit could not be written; no operation is lost. <see cref="StorageException.MayRetry"/> says whether it
    /// can be retried; if not, the store is poisoned.
    /// </exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task<Commit> CommitAsync(
        CommitKind? kind = null, bool withIndex = false, CancellationToken cancellationToken = default) =>
        Coordinator().RequestAsync(kind ?? Options.CommitKind, withIndex).OrCanceled(cancellationToken);

    /// <summary>
    /// Takes a checkpoint of the index without a commit (paper 004 §5.4). Subsequent commits refer to it.
    /// </summary>
    /// <param name="cancellationToken">Cancels the wait, not the checkpoint.</param>
    /// <exception cref="StorageException">The checkpoint could not be written.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task CheckpointIndexAsync(CancellationToken cancellationToken = default) =>
        Coordinator().CheckpointIndexAsync().OrCanceled(cancellationToken);

    /// <summary>
    /// Starts a session. If the name is known from the commit that the store was opened from, or from a session that
    /// was closed, the session continues that one: see <see cref="SessionCore.RecoveredPoint"/>.
    /// </summary>
    /// <param name="name">A name that no open session has, or null for a session that cannot be continued.</param>
    /// <exception cref="SessionMisuseException">The name is in use.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public FasterSession StartSession(string? name = null) => Start(name, mustBeKnown: false);

    /// <summary>Starts a session whose name is a Guid, as <see cref="StartSession(string?)"/> does.</summary>
    /// <param name="id">A Guid that no open session has.</param>
    public FasterSession StartSession(Guid id) => StartSession(id.ToString("D"));

    /// <summary>Continues a session that was committed. Fails if the name is unknown.</summary>
    /// <param name="name">The session's name.</param>
    /// <param name="point">The session's commit point. Reissue all operations after it.</param>
    /// <exception cref="SessionMisuseException">The name is in use, or unknown.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public FasterSession ContinueSession(string name, out CommitPoint point)
    {
        ArgumentNullException.ThrowIfNull(name);
        FasterSession session = Start(name, mustBeKnown: true);
        point = session.RecoveredPoint;
        return session;
    }

    /// <summary>Continues a session whose name is a Guid. Fails if the Guid is unknown.</summary>
    /// <param name="id">The session's Guid.</param>
    /// <param name="point">The session's commit point. Reissue all operations after it.</param>
    /// <exception cref="SessionMisuseException">The Guid is in use, or unknown.</exception>
    public FasterSession ContinueSession(Guid id, out CommitPoint point) =>
        ContinueSession(id.ToString("D"), out point);

    /// <summary>Forgets a named session that is not open. Later commits do not include it.</summary>
    /// <param name="name">The session's name.</param>
    /// <returns>Whether the session was known.</returns>
    /// <exception cref="SessionMisuseException">The session is open.</exception>
    public bool ForgetSession(string name) => Core.Sessions.Forget(name);

    /// <summary>Doubles the index while operations continue, before it is full enough to grow by itself.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the growth.</param>
    /// <exception cref="LimitExceededException">The index would exceed half of the memory budget.</exception>
    public Task GrowIndexAsync(CancellationToken cancellationToken = default) =>
        ResizeIndexAsync(ResizeKind.Split, cancellationToken);

    /// <summary>Halves the index while operations continue, and gives the memory to the log.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the shrinking.</param>
    /// <exception cref="LimitExceededException">
    /// The index cannot be halved: it has its smallest size, has an odd number of buckets, or has been at its limit.
    /// </exception>
    public Task ShrinkIndexAsync(CancellationToken cancellationToken = default) =>
        ResizeIndexAsync(ResizeKind.Join, cancellationToken);

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
    public LogScan ScanLog()
    {
        Core.Closing.ThrowIfUnusable();
        return Tier.PagedLog is null
            ? throw new NotSupportedException("A store with the in-memory allocator has no log to scan.")
            : new LogScan(Epochs, Tier.PagedLog, Tier.Storage!, Core.Clock, Analytics.Source.Guard);
    }

    /// <summary>
    /// Closes the sessions and the store: waits for calls under way, completes pending operations, and refuses later
    /// calls with <see cref="ObjectDisposedException"/>. A store with a folder then commits what was done since the
    /// last commit, unless <see cref="StoreOptions.CommitOnDispose"/> is false. Idempotent.
    /// </summary>
    /// <exception cref="SessionMisuseException">
    /// A call, which the message names, did not return within <see cref="StoreOptions.CloseTimeout"/>. No memory was
    /// freed, and the folder stays locked: dispose of the store again.
    /// </exception>
    /// <exception cref="StorageException">
    /// The last commit has failed, or was not tried because the store is poisoned. The store is closed nevertheless;
    /// the message names the last durable commit.
    /// </exception>
    public void Dispose() => CloseAsync(blocks: true).GetAwaiter().GetResult();

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync() => new(CloseAsync(blocks: false));

    internal void OnFault(Exception fault) => Core.OnFault(fault);

    internal void OnCommitted(Commit commit)
    {
        _sizer.LookAgain();
        Committed?.Invoke(commit);
    }

    private FasterSession Start(string? name, bool mustBeKnown) =>
        Core.Start(name, mustBeKnown, entry => new FasterSession(this, name, entry));

    private Task ResizeIndexAsync(ResizeKind kind, CancellationToken cancellationToken)
    {
        Core.Closing.ThrowIfUnusable();
        return _sizer.ResizeOnRequestAsync(kind).OrCanceled(cancellationToken);
    }

    private LogTruncation Truncation()
    {
        Core.Closing.ThrowIfUnusable();
        return LogReclamation.TruncationOf(this);
    }

    private CommitCoordinator Coordinator()
    {
        Core.Closing.ThrowIfUnusable();
        return _coordinator ?? throw new NotSupportedException(
            "A store without a folder, or with the in-memory allocator, cannot commit. Open it with a path, and with "
            + "the hybrid or the append-only log.");
    }

    private Task CloseAsync(bool blocks) => Core.Closing.RunAsync(
        blocks, BackgroundWork, CommitLastAsync, [_sizer.Close, Analytics.Close, .. OwnParts, () => _files?.Dispose()]);

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
        () => Tier.IOThread?.Dispose(), () => Tier.IOThread?.Helper!.Close(), () => Tier.Reader?.CloseQueues(),
        () => (_ownsDevice ? Tier.Storage?.Device : null)?.Dispose(), FreeMemory,
    ];

    // If a session is still inside an epoch, the memory is leaked rather than freed under it.
    private void FreeMemory()
    {
        if (Core.Closing.TryDrain()) Tier.FreeMemory();
    }
}
