using System.ComponentModel;
using Faster.Analytics;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Engines.Transactional.Capture;
using Faster.Engines.Transactional.Redo;
using Faster.Log.InMemory;
using Faster.LogCommits;
using Faster.Opening;
using Faster.Sessions;
using Faster.Stores;
using Faster.Tables;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Engines.Transactional;

/// <summary>
/// The transactional store (paper 004 §4): records in memory with a lock each. Emitted code derives the store type
/// with the user's key and value types from <see cref="TransactionalStore{TSession, TRecord}"/>.
/// </summary>
/// <remarks>
/// Commits capture all records of a version in a file. Thread-safe. Operations go through sessions; a store may have
/// any number of them.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public class TransactionalStore : CommittingStore
{
    private const int PartOfCaptures = 32; // of the budget

    // Of the index's slots: records are small beside a slot, so an index that is mostly half empty costs much.
    private const double FullIndex = 0.95;

    private readonly CommitFolder? _folder;
    private readonly CommittedTables? _past;
    private readonly IndexSizer _sizer;
    private readonly StoreRedo? _redo;
    private readonly SessionFigures _ended = new();
    private long _tableBytes; // of the last commit's file

    internal TransactionalStore(TransactionalStart start)
    {
        Options = start.Options;
        StorePlan plan = start.Plan;
        if (plan.Files is not null) _folder = new CommitFolder(plan.Files, plan.Metadata.Identity, plan.Catalog!);
        _redo = StoreRedo.Open(plan, Options);
        if (_redo is not null) plan = plan with { FirstVersion = _redo.FirstVersion };
        Core = new StoreCore(this, plan);
        Redo = start.Redo ?? _redo?.Attach(this);
        Core.Sessions.IsEachDurable = Redo is not null;
        Captures = new Captures(plan.Metadata.Schema, Options.MemoryBudget.Bytes / PartOfCaptures);
        if (Options.CommitAlgorithm == CommitAlgorithm.Calc) CommitLog = new CommitLog(Core.Commits.Current.Version);
        Tier = new Tier(Core, plan);
        Table = new RecordTable(Tier);
        AbsentKeys = new AbsentKeyLocks(Options.MemoryBudget.Bytes);
        Analytics = new CopyingScans<TransactionalSession>(Tier.Schema, "Transactional", () => StartSession())
        {
            Past = _past = _folder is null ? null : new CommittedTables(_folder, Core.Closing),
        };
        if (Options.PopulateMemory) Tier.PopulateMemory(Core.MemoryPlan, mayCache: false);
        Tier.Index.ByteLimit = Core.MemoryPlan.IndexLimit;
        _sizer = new IndexSizer(Tier, Core.MemoryPlan) { Full = FullIndex };
        _sizer.Listen();
        if (_folder is not null) Recover(start, _folder, _past!);
    }

    /// <inheritdoc/>
    public override TransactionalOptions Options { get; }

    /// <inheritdoc/>
    public override TransactionalStatistics Statistics
    {
        get
        {
            Core.Closing.ThrowIfUnusable();
            SessionFigures all = AllFigures();
            return WithLogs(Redo, new TransactionalStatistics
            {
                Records = all.Records,
                Committed = all.Committed,
                Aborted = all.Aborted,
                Conflicts = all.Conflicts,
                IndexMemory = new ByteSize(Tier.Index.Bytes),
                RecordMemory = new ByteSize(Tier.Log.BytesInMemory),
                IndexGrowths = _sizer.Growths,
                IndexAtLimit = _sizer.AtLimit,
                MemoryBytes = Tier.Index.Bytes + Tier.Log.BytesInMemory
                    + AbsentKeyLocks.BytesFor(Options.MemoryBudget.Bytes) + Captures.Bytes,
                DiskBytes = Volatile.Read(ref _tableBytes),
            });
        }
    }

    /// <summary>The commits whose state can be scanned, oldest first: the last two.</summary>
    public IReadOnlyList<Commit> ScannableCommits => _past?.Commits ?? [];

    /// <summary>Scans, export and import.</summary>
    internal override CopyingScans<TransactionalSession> Analytics { get; }

    internal override StoreCore Core { get; }

    internal Tier Tier { get; }

    internal RecordTable Table { get; }

    internal AbsentKeyLocks AbsentKeys { get; }

    internal Captures Captures { get; }

    internal CommitLog? CommitLog { get; }

    /// <summary>What transactions are published in; null if they are durable by commits.</summary>
    internal RedoLogs? Redo { get; }

    /// <inheritdoc cref="TransactionalEngine.OpenAsync"/>
    internal static ValueTask<TransactionalStore> OpenAsync(
        string? path, TransactionalOptions options, RecordSchema schema, CancellationToken cancellationToken) =>
        TransactionalEngine.OpenAsync(
            path, options, schema, static start => new TransactionalStore(start), null, cancellationToken);

    /// <summary>
    /// Commits: makes all operations before the call durable, while operations continue (paper 004 §4.1). Completes
    /// immediately if nothing has changed since the last commit.
    /// </summary>
    /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
    /// <exception cref="StorageException">
    /// The commit could not be written; no operation is lost. <see cref="StorageException.MayRetry"/> says whether it
    /// can be retried; if not, the store takes no more updates.
    /// </exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task<Commit> CommitAsync(CancellationToken cancellationToken = default) =>
        RequestCommitAsync().OrCanceled(cancellationToken);

    internal TransactionalSession StartSession(string? name = null) => Start(name, mustBeKnown: false);

    internal TransactionalSession ContinueSession(string name, out CommitPoint point)
    {
        ArgumentNullException.ThrowIfNull(name);
        TransactionalSession session = Start(name, mustBeKnown: true);
        point = session.RecoveredPoint;
        return session;
    }

    /// <summary>Starts a session that serves the store's own work, which commits ignore.</summary>
    internal TransactionalSession StartInternal(string owner) => new(this, owner, null);

    /// <summary>Takes over what a session that has ended leaves.</summary>
    internal void Adopt(TransactionalSession session)
    {
        ((InMemoryAllocator)Tier.Log).Adopt(session.Lists);
        lock (_ended) _ended.Add(session.Figures);
    }

    /// <summary>Makes a session.</summary>
    private protected virtual TransactionalSession MakeSession(string? name, SessionEntry entry) =>
        new(this, name, entry);

    private protected override void OnCommit()
    {
        _sizer.LookAgain();
        Volatile.Write(ref _tableBytes, Participants.Sum(static part => part.BytesWritten));
    }

    private protected override Task CloseAsync(bool blocks) => Core.Closing.RunAsync(
        blocks, [() => _redo?.StopSyncs(), () => _redo?.StopCommits(), StopCommits, _sizer.EndResizes], CommitLastAsync,
        [
            _sizer.Close, () => _past?.Close(), () => _redo?.Dispose(), FreeMemory, () => Core.Publisher?.Dispose(),
            () => _folder?.Files.Dispose(),
        ]);

    private TransactionalSession Start(string? name, bool mustBeKnown) =>
        Core.Closing.Start(name, mustBeKnown, entry => MakeSession(name, entry));

    // The state of the commit that the plan has, and what makes the next ones.
    private void Recover(TransactionalStart start, CommitFolder folder, CommittedTables past)
    {
        StorePlan plan = start.Plan;
        try
        {
            if (plan.Commit is { } commit)
            {
                FileReference file = commit.PartOf(TableFile.PartName).File!;
                var table = new TableRecovery(folder, this, file);
                Recovery = new StoreRecovery(folder, Core, plan).Run(
                    _redo?.Points ?? commit.Sessions, () => table.Run(start.Progress, start.Ct));
                _tableBytes = file.Bytes;
                past.AddKept();
            }

            MakeCommits(
                folder.Files, folder.Catalog,
                [.. _redo?.MakeParticipants(folder.Catalog) ?? [], new TableParticipant(folder, this)], plan.Commit,
                new CommitHost(Core, onPhase: null, past.Add, OnCommitted));
            _redo?.Begin(start.Ct);
            if (_redo is not null && Recovery is not null)
                Recovery = Recovery with { BytesReplayed = _redo.BytesReplayed };
        }
        catch
        {
            Core.Closing.CloseAll([_sizer.EndResizes, _sizer.Close, () => _redo?.Dispose(), FreeMemory]);
            throw;
        }

        if (plan.StartsThreads)
        {
            StartCommits();
            _redo?.StartSyncs();
        }

        start.Progress?.Report(new RecoveryProgress(RecoveryStep.Done, 0, 0));
    }

    // A session that ends meanwhile may be counted once too often or not at all.
    private SessionFigures AllFigures()
    {
        var all = new SessionFigures();
        lock (_ended) all.Add(_ended);
        foreach (SessionCore session in Core.Sessions.Open) all.Add(((TransactionalSession)session).Figures);
        return all;
    }

    // If a session is still inside an epoch, the memory is leaked rather than freed under it.
    private void FreeMemory()
    {
        if (Core.Closing.TryDrain())
            Core.Closing.CloseAll([Tier.FreeMemory, AbsentKeys.Dispose, () => CommitLog?.Dispose()]);
    }
}
