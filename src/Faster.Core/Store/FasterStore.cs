using Faster.Caching;
using Faster.Checkpoints;
using Faster.Commits;
using Faster.Compaction;
using Faster.Contracts;
using Faster.Devices;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;
using Faster.Sessions;

namespace Faster;

/// <summary>
/// The FASTER store (paper 000): a latch-free hash index over a record allocator. The generator wraps it in a store
/// type with the user's own key and value types.
/// </summary>
/// <remarks>
/// Thread-safe. Operations are issued through sessions, of which there may be any number.
/// </remarks>
/// <typeparam name="TProbe">The probe of a test, or <see cref="NoProbe"/>.</typeparam>
public sealed class FasterStore<TProbe> : IAsyncDisposable, IDisposable
    where TProbe : struct, IProbe
{
    private readonly StoreFiles? _files;
    private readonly PageFlusher<TProbe>? _flusher;
    private readonly PagedLog<TProbe>? _pagedLog;
    private readonly IndexSizer<TProbe> _sizer;
    private readonly LogStorage? _storage;
    private readonly CommitPublisher? _publisher;
    private readonly CommitCoordinator<TProbe>? _coordinator;
    private readonly PeriodicCommits<TProbe>? _periodic;
    private long _fuzzyUpdates;
    private readonly StoreClosing<TProbe> _closing;
    private readonly bool _ownsDevice = true;

    /// <summary>
    /// Puts a store together, and recovers it if a commit is given; what is given is the store's then.
    /// </summary>
    internal FasterStore(StoreBlueprint blueprint, IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        (StoreOptions options, MemoryPlan plan) = (Options, Plan) = (blueprint.Options, blueprint.Plan);
        CommitRecord? recovered = blueprint.Commit;
        Clock = StoreClock.For(options, blueprint.Metadata.Schema, recovered?.Clock, blueprint.CoarseClock);
        _files = blueprint.Files;
        Seed = blueprint.Metadata.Seed;
        Epochs = new EpochTable<TProbe>(OnFault);
        Commits = new CommitState<TProbe>(
            (recovered?.Version ?? 0) + 1, options.PendingOrder, plan.LatchStripes, options.TimeProvider);
        Sessions = new SessionRegistry<TProbe>(Commits);
        _closing = new StoreClosing<TProbe>(Epochs, Sessions, options.CloseTimeout, OnFault);
        Index = new HashIndex<TProbe>(Epochs, plan.Buckets);
        (long recordBytes, RecordSchema schema) = (plan.RecordBytes(Index.Bytes), blueprint.Metadata.Schema);
        if (options.Allocator == RecordAllocatorKind.InMemory)
        {
            Log = new InMemoryAllocator<TProbe>(
                Epochs, schema, Seed, plan.Budget, recordBytes, blueprint.FreeBatch);
            Sweep = new ExpirySweep<TProbe>(Index, Log, Clock);
            Memory = new RecordMemory<TProbe>(plan, Epochs, Index, Log, schema, Seed);
        }
        else
        {
            _storage = blueprint.OpenStorage();
            _flusher = new PageFlusher<TProbe>(_storage, plan.FlushPart, plan.FlushParts);
            Log = _pagedLog = blueprint.MakeLog(Epochs, _flusher, recordBytes);
            Memory = new RecordMemory<TProbe>(plan, Epochs, Index, Log, schema, Seed);
            Reader = new LogReader(_storage, Log.Layout, plan.ReadBuffers, OnFault, plan.PendingBytes);
            PendingMemory = plan.MakePendingMemory(Commits);
            Pump = new IoPump<TProbe>(_storage.Device, _flusher, Reader, OnFault);
            Pump.Collect = () => PendingCollector<TProbe>.Take(this);
            Pump.Helper = new FasterSession<TProbe>(this, "the store's I/O thread");
            Garbage = new LogGarbage<TProbe>(this, blueprint, _pagedLog, _flusher, _storage);
        }

        _sizer = new IndexSizer<TProbe>(this, plan);
        (CommitCatalog? catalog, LogParticipant<TProbe>? participant) = (null, null);
        if (_files is not null && _pagedLog is not null)
        {
            var parts = new DurableParts<TProbe>(
                _files, blueprint.Metadata.Identity, blueprint.Catalog!, _pagedLog, _storage!, _flusher!, Garbage!);
            if (recovered is not null)
            {
                try
                {
                    Recovery = new StoreRecovery<TProbe>(this, parts, blueprint, progress).Run(ct);
                }
                catch
                {
                    _ownsDevice = options.Device is null; // an older commit may be tried over it
                    _closing.CloseAll(OwnParts);
                    throw;
                }
            }

            catalog = parts.Catalog;
            participant = new LogParticipant<TProbe>(this, parts, recovered);
            _publisher = new CommitPublisher(_files, catalog, OnFault);
            _coordinator = new CommitHost<TProbe>(this).MakeCoordinator([participant], _publisher, recovered);
            if (PeriodicCommits<TProbe>.AreWanted(options)) _periodic = new PeriodicCommits<TProbe>(this, _coordinator);
        }

        Index.ByteLimit = plan.IndexLimit;
        Analytics = new StoreAnalytics<TProbe>(this, schema, _pagedLog, _storage, catalog);
        _sizer.Listen();
        if (blueprint.StartsThreads) Pump?.Start();
        _periodic?.Start();
        if (blueprint.StartsThreads) Garbage?.Start(participant, _coordinator);
        progress?.Report(new RecoveryProgress(RecoveryStep.Done, 0, 0));
    }

    /// <summary>Called after each commit, in order, by a thread of the store; must return soon.</summary>
    public event Action<Commit>? Committed;

    /// <summary>
    /// Raised after each internal fault that concerned no operation (<see cref="StoreStatistics.FaultCounts"/>), in
    /// order, one at a time, by a thread of the pool. What a handler throws is counted as a fault, and raises nothing.
    /// </summary>
    public event EventHandler<FaultEventArgs>? FaultOccurred
    {
        add => Faults.Occurred += value;
        remove => Faults.Occurred -= value;
    }

    /// <summary>What opening the store has recovered; null when there was no commit.</summary>
    public RecoveryReport? Recovery { get; }

    /// <summary>The options that the store was opened with.</summary>
    public StoreOptions Options { get; }

    /// <summary>What the store holds and has done.</summary>
    public StoreStatistics Statistics => StatisticsReader<TProbe>.Read(this, _sizer, Faults);

    /// <summary>Scans, history, subscriptions, export and import.</summary>
    public StoreAnalytics<TProbe> Analytics { get; }

    internal EpochTable<TProbe> Epochs { get; }
    internal HashIndex<TProbe> Index { get; }
    internal RecordAllocator<TProbe> Log { get; }

    /// <summary>The copies of records on disk; null when there are none.</summary>
    internal ReadCache<TProbe>? Cache => Memory.Cache;

    internal RecordMemory<TProbe> Memory { get; }
    internal CommitState<TProbe> Commits { get; }
    internal FaultLog Faults { get; } = new();
    internal SessionRegistry<TProbe> Sessions { get; }
    internal MergeLedger Merges { get; } = new();
    internal HashSeed Seed { get; }
    internal StoreClock Clock { get; }
    internal ExpirySweep<TProbe>? Sweep { get; }
    internal MemoryPlan Plan { get; }
    internal LogReader Reader { get; } = null!;
    internal IoPump<TProbe> Pump { get; } = null!;
    internal PendingMemory<TProbe> PendingMemory { get; } = null!;
    internal LogStorage? Storage => _storage;

    /// <summary>How many read-modify-writes have waited for the fuzzy region to pass.</summary>
    internal long FuzzyUpdates => Volatile.Read(ref _fuzzyUpdates);

    /// <summary>A read-modify-write has met the fuzzy region.</summary>
    internal void CountFuzzy() => Interlocked.Increment(ref _fuzzyUpdates);

    internal LogGarbage<TProbe>? Garbage { get; }

    internal TimeSpan PatienceLimit { get; set; } = Patience<TProbe>.Limit; // less in tests
    internal bool IsClosing => _closing.HasBegun;

    /// <summary>Whether an operation can wait for room without blocking a thread.</summary>
    internal bool CanPark => _pagedLog is not null;

    /// <summary>
    /// Opens a store. If there is a commit in its folder the store is recovered from it; else it begins empty.
    /// </summary>
    /// <param name="path">
    /// Its folder; null for a store that keeps everything in memory, its log on a memory device, and can't commit.
    /// </param>
    /// <param name="options">How.</param>
    /// <param name="schema">The shape of its records.</param>
    /// <param name="ct">Cancels the opening.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="StoreOpenException">
    /// The folder can't be used, or two options exclude each other; the message says why.
    /// </exception>
    /// <exception cref="DamagedDataException">What lies in the folder can't be trusted.</exception>
    public static ValueTask<FasterStore<TProbe>> OpenAsync(
        string? path, StoreOptions options, RecordSchema schema, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(options);
        return StoreOpening<TProbe>.OpenAsync(path, options, schema, mustExist: false, null, ct);
    }

    /// <summary>Recovers a store from the last commit in its folder (paper 004 §5.5).</summary>
    /// <param name="path">Its folder.</param>
    /// <param name="options">How to open it.</param>
    /// <param name="schema">The shape of its records.</param>
    /// <param name="progress">Told how far the recovery has come, from threads of the store; or null.</param>
    /// <param name="ct">Cancels the recovery, which changes nothing in the folder.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="StoreOpenException">
    /// The folder has no commit or can't be used, or two options exclude each other.
    /// </exception>
    /// <exception cref="DamagedDataException">What lies in the folder can't be trusted.</exception>
    public static ValueTask<FasterStore<TProbe>> RecoverAsync(
        string path, StoreOptions options, RecordSchema schema, IProgress<RecoveryProgress>? progress,
        CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(options);
        return StoreOpening<TProbe>.OpenAsync(path, options, schema, mustExist: true, progress, ct);
    }

    /// <summary>
    /// Commits: makes durable what was done before the call, while operations go on (paper 004 §5). Returns at once
    /// when nothing was done since the last commit.
    /// </summary>
    /// <param name="kind">How the log is captured; null for <see cref="StoreOptions.CommitKind"/>.</param>
    /// <param name="withIndex">
    /// Whether a new checkpoint of the index belongs to it, which shortens recovery. One is taken now and then anyway.
    /// </param>
    /// <param name="ct">Ends the waiting, not the commit.</param>
    /// <exception cref="StorageException">
    /// The commit could not be written: nothing is lost, and it may be tried again if
    /// <see cref="StorageException.MayRetry"/> says so; else the store is poisoned.
    /// </exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task<Commit> CommitAsync(CommitKind? kind = null, bool withIndex = false, CancellationToken ct = default) =>
        Coordinator().RequestAsync(kind ?? Options.CommitKind, withIndex).WaitAsync(ct);

    /// <summary>
    /// Takes a checkpoint of the index by itself (paper 004 §5.4): commits that follow name it.
    /// </summary>
    /// <param name="ct">Ends the waiting, not the checkpoint.</param>
    /// <exception cref="StorageException">It could not be written.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task CheckpointIndexAsync(CancellationToken ct = default) =>
        Coordinator().CheckpointIndexAsync().WaitAsync(ct);

    /// <summary>
    /// Starts a session. One with a name goes on where a session of that name stood in the commit that the store was
    /// opened from, or when it was closed; <see cref="SessionCore{TProbe}.RecoveredPoint"/> tells.
    /// </summary>
    /// <param name="name">A name that no open session has, or null for a session that ends with its holder.</param>
    /// <exception cref="SessionMisuseException">The name is in use.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public FasterSession<TProbe> StartSession(string? name = null) => Start(name, mustBeKnown: false);

    /// <summary>Starts a session whose name is a Guid; else as <see cref="StartSession(string?)"/>.</summary>
    public FasterSession<TProbe> StartSession(Guid id) => StartSession(id.ToString("D"));

    /// <summary>Continues a session that was committed: it must be known.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="point">What of it is durable: issue again what came after.</param>
    /// <exception cref="SessionMisuseException">The name is in use, or not known.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public FasterSession<TProbe> ContinueSession(string name, out CommitPoint point)
    {
        ArgumentNullException.ThrowIfNull(name);
        FasterSession<TProbe> session = Start(name, mustBeKnown: true);
        point = session.RecoveredPoint;
        return session;
    }

    /// <summary>Continues a session whose name is a Guid.</summary>
    public FasterSession<TProbe> ContinueSession(Guid id, out CommitPoint point) =>
        ContinueSession(id.ToString("D"), out point);

    /// <summary>Forgets a named session that is not open: from the next commit on none carries it.</summary>
    /// <returns>Whether it was known.</returns>
    /// <exception cref="SessionMisuseException">It is open.</exception>
    public bool ForgetSession(string name) => Sessions.Forget(name);

    /// <summary>Doubles the index now, while operations run, instead of waiting until it is crowded.</summary>
    /// <param name="ct">Ends the waiting, not the growth.</param>
    /// <exception cref="LimitExceededException">The index would exceed half of the memory budget.</exception>
    public Task GrowIndexAsync(CancellationToken ct = default) => ResizeIndexAsync(ResizeKind.Split, ct);

    /// <summary>Halves the index now, while operations run, and gives the memory to the log.</summary>
    /// <param name="ct">Ends the waiting, not the shrinking.</param>
    /// <exception cref="LimitExceededException">
    /// The index can't be halved: it is as small as can be, has an odd number of buckets, or has been at its limit.
    /// </exception>
    public Task ShrinkIndexAsync(CancellationToken ct = default) => ResizeIndexAsync(ResizeKind.Merge, ct);

    /// <summary>
    /// Gives up all records below an address, rounded down to a page's start. They are on disk first, and out of
    /// memory. A store with a folder gives the space back with the second commit after (docs/COMPACTION.md).
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The address is above the tail.</exception>
    /// <exception cref="StorageException">The log can't be written; nothing is given up.</exception>
    public Task TruncateAsync(long untilAddress) => Truncation().TruncateAsync(untilAddress);

    /// <summary>Gives up the log's oldest pages, last changed longer ago than a time. Call it now and then.</summary>
    /// <returns>The lowest valid address.</returns>
    /// <exception cref="StorageException">The log can't be written; nothing is given up.</exception>
    public Task<long> TruncateOlderThanAsync(TimeSpan age) =>
        Truncation().TruncateOlderThanAsync(age);

    /// <summary>Copies the live records below an address to the tail, and gives up the log there.</summary>
    /// <param name="untilAddress">Rounded down to a page's start; the tail at most.</param>
    /// <exception cref="FasterException">The log can't be read or written; nothing is lost.</exception>
    public Task<CompactionResult> CompactAsync(long untilAddress) =>
        Truncation().CompactAsync(untilAddress);

    /// <summary>
    /// Goes through all records in the order of the log, older versions and tombstones included: a later record of a
    /// key supersedes an earlier one, unless it is partial (<see cref="LogScan{TProbe}.IsPartial"/>).
    /// </summary>
    /// <remarks>What is written after this call is not seen. Records become read-only by it; updates go on.</remarks>
    /// <exception cref="NotSupportedException">The store is in memory only: its records have no order.</exception>
    public LogScan<TProbe> ScanLog()
    {
        _closing.ThrowIfUnusable();
        return _pagedLog is null
            ? throw new NotSupportedException("A store with the in-memory allocator has no log to scan.")
            : new LogScan<TProbe>(Epochs, _pagedLog, _storage!, Clock, Analytics.Source.Guard);
    }

    /// <summary>
    /// Closes the sessions and the store: later calls throw <see cref="ObjectDisposedException"/>, those under way are
    /// waited for, what is pending is completed. What has not been committed is gone. Idempotent.
    /// </summary>
    /// <exception cref="SessionMisuseException">
    /// A call, which the message names, did not return within <see cref="StoreOptions.CloseTimeout"/>. Nothing was
    /// freed, the folder stays locked: dispose of the store again.
    /// </exception>
    public void Dispose() => _closing.RunAsync(blocks: true, Parts).GetAwaiter().GetResult();

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync() => new(_closing.RunAsync(blocks: false, Parts));

    internal void ThrowIfLogFailed() => _flusher?.ThrowIfFailedAgain();

    internal Task ThrowIfLogFailedAsync(CancellationToken ct) =>
        _flusher?.ThrowIfFailedAgainAsync(ct) ?? Task.CompletedTask;

    /// <summary>As <see cref="ThrowIfLogFailed"/>, for the I/O thread: does not wait for another attempt.</summary>
    internal void ThrowIfLogHasFailed() => _flusher?.ThrowIfFailed();
    internal void ThrowPoisoned() => _publisher?.ThrowIfPoisoned();
    internal void OnCommitted(Commit commit) => Committed?.Invoke(commit);
    internal void OnFault(Exception fault) => Faults.Add(this, fault);

    private FasterSession<TProbe> Start(string? name, bool mustBeKnown)
    {
        _closing.ThrowIfUnusable();
        if (name is not null && !mustBeKnown) SessionRegistry<TProbe>.CheckName(name);
        FasterSession<TProbe> session = Sessions.Start(name, mustBeKnown, entry =>
        {
            // Under the registry's lock: who closes the store takes it after this has begun to refuse.
            ClosedStore.ThrowIf(IsClosing);
            return new FasterSession<TProbe>(this, name, entry);
        });
        session.TimeToLive = Options.TimeToLive; // may wait for an epoch: not under the lock
        return session;
    }

    private Task ResizeIndexAsync(ResizeKind kind, CancellationToken ct)
    {
        _closing.ThrowIfUnusable();
        return _sizer.ResizeOnRequestAsync(kind).WaitAsync(ct);
    }

    private LogTruncation<TProbe> Truncation()
    {
        _closing.ThrowIfUnusable();
        return LogGarbage<TProbe>.TruncationOf(this);
    }

    private CommitCoordinator<TProbe> Coordinator()
    {
        _closing.ThrowIfUnusable();
        return _coordinator ?? throw new NotSupportedException(
            "A store without a folder, or with the in-memory allocator, can't commit. Open it with a path, and with "
            + "the hybrid or the append-only log.");
    }

    // What closes the store when its sessions are closed, in order.
    private Action[] Parts =>
    [
        () => _periodic?.Dispose(), () => Garbage?.Dispose(), () => _coordinator?.CloseAsync().Wait(), _sizer.Close,
        Analytics.Close, .. OwnParts, () => _files?.Dispose(),
    ];

    // Those that there are before anything runs.
    private Action[] OwnParts =>
    [
        () => Pump?.Dispose(), () => Pump?.Helper!.Close(), () => Reader?.CloseQueues(),
        () => (_ownsDevice ? _storage?.Device : null)?.Dispose(), FreeMemory,
    ];

    // Leaked rather than freed under whoever is inside.
    private void FreeMemory()
    {
        if (!_closing.TryDrain()) return;
        Index.Dispose();
        Log.Dispose();
        Cache?.Dispose();
        _flusher?.Dispose();
        Reader?.Dispose();
    }
}
