using System.ComponentModel;
using Faster.Analytics;
using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Index.Resizing;
using Faster.LogCommits;
using Faster.LogSessions;
using Faster.LogSessions.Pending;
using Faster.Opening;
using Faster.Sessions;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Stores;

/// <summary>
/// What stores over hybrid logs have, of one tier or two: commits, sessions by name, faults, and an index that is
/// resized.
/// </summary>
/// <remarks>Thread-safe. Operations go through sessions; a store may have any number of them.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class LogStore : CommittingStore, ILogCommitStore, IMergingStore, IIndexStore
{
    private readonly StoreFiles? _files;
    private readonly StoreJournal? _journal;
    private bool _ownsDevices = true;

    private protected LogStore(StorePlan plan)
    {
        _files = plan.Files;
        _journal = StoreJournal.Open(plan);
        if (_journal is not null) plan = plan with { FirstVersion = _journal.FirstVersion };
        Core = new LogStoreCore(this, plan) { StartInternal = StartInternal };
        Core.Journal = _journal?.Attach(Core);
        Core.Sessions.IsEachDurable = Core.Journal is not null;
    }

    /// <summary>
    /// The commits whose state can be scanned, oldest first: the last two, and those before them since which nothing
    /// has been truncated.
    /// </summary>
    public IReadOnlyList<Commit> ScannableCommits => Analytics.ScannableCommits;

    /// <summary>Scans, history, subscriptions, export and import.</summary>
    internal abstract override LogAnalytics Analytics { get; }

    /// <summary>The state that the store's sessions, tiers and background work share.</summary>
    internal override LogStoreCore Core { get; }

    /// <summary>Resizes the first tier's index; set by the engine's constructor.</summary>
    private protected IndexSizer Sizer { get; init; } = null!;

    /// <summary>Parts of the engine's own that are closed after its tiers and before memory is freed.</summary>
    private protected virtual Action[] OwnParts => [];

    /// <summary>
    /// Commits: makes all operations before the call durable, while operations continue (paper 004 §5). Completes
    /// immediately if nothing has changed since the last commit.
    /// </summary>
    /// <param name="kind">
    /// How the commit captures the log, of two tiers the hot one's; null for the kind that the options have.
    /// </param>
    /// <param name="withIndex">
    /// Whether the commit includes a new index checkpoint, which shortens recovery. Commits include one from time to
    /// time anyway.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
    /// <exception cref="StorageException">
    /// The commit could not be written; no operation is lost. <see cref="StorageException.MayRetry"/> says whether it
    /// can be retried; if not, the store takes no more updates.
    /// </exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task<Commit> CommitAsync(
        CommitKind? kind = null, bool withIndex = false, CancellationToken cancellationToken = default) =>
        Core.RequireCoordinator().RequestAsync(kind ?? Core.Options.CommitKind, withIndex)
            .OrCanceled(cancellationToken);

    /// <summary>
    /// Takes a checkpoint of the index without a commit (paper 004 §5.4). Subsequent commits refer to it.
    /// </summary>
    /// <param name="cancellationToken">Cancels the wait, not the checkpoint.</param>
    /// <exception cref="StorageException">The checkpoint could not be written.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task CheckpointIndexAsync(CancellationToken cancellationToken = default) =>
        Core.RequireCoordinator().CheckpointIndexAsync().OrCanceled(cancellationToken);

    /// <summary>Doubles the index while operations continue, before it is full enough to grow by itself.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the growth.</param>
    /// <exception cref="LimitExceededException">
    /// The index would exceed half of the memory budget, of two tiers the hot one's.
    /// </exception>
    public Task GrowIndexAsync(CancellationToken cancellationToken = default) =>
        ResizeIndexAsync(ResizeKind.Split, cancellationToken);

    /// <summary>Halves the index while operations continue, and gives the memory to the log.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the shrinking.</param>
    /// <exception cref="LimitExceededException">
    /// The index cannot be halved: it has its smallest size, has an odd number of buckets, or has been at its limit.
    /// </exception>
    public Task ShrinkIndexAsync(CancellationToken cancellationToken = default) =>
        ResizeIndexAsync(ResizeKind.Join, cancellationToken);

    /// <summary>Starts a session, or continues it.</summary>
    internal HashSession Start(string? name, bool mustBeKnown = false)
    {
        HashSession session = (name is null ? (HashSession?)Core.Closing.TryRenew() : null)
            ?? StartNew(name, mustBeKnown);
        session.BeginLife(Core.Options.TimeToLive); // may wait for an epoch, so not under the registry's lock
        return session;
    }

    // Apart, since its closure would be allocated for each session.
    private HashSession StartNew(string? name, bool mustBeKnown) =>
        Core.Closing.Start(name, mustBeKnown, entry => MakeSession(name, entry));

    /// <summary>Continues a session that was committed.</summary>
    internal HashSession Continue(string name, out CommitPoint point)
    {
        ArgumentNullException.ThrowIfNull(name);
        HashSession session = Start(name, mustBeKnown: true);
        point = session.RecoveredPoint;
        return session;
    }

    private protected override void OnCommit() => Sizer.LookAgain();

    /// <summary>Returns an engine's figures with those that all log stores have.</summary>
    private protected TStatistics WithShared<TStatistics>(TStatistics own)
        where TStatistics : EngineStatistics
    {
        own = WithLogs(Core.Journal, own);
        return (TStatistics)((EngineStatistics)own with
        {
            PendingOperations = Core.Sessions.Open.Sum(static session => ((LogSession)session).PendingCount),
        });
    }

    /// <summary>Starts a session that serves the store's own work, which commits ignore.</summary>
    private protected abstract LogSession StartInternal(string owner);

    /// <summary>Makes a session.</summary>
    private protected abstract HashSession MakeSession(string? name, SessionEntry entry);

    /// <summary>
    /// Opens the store as far as its tiers are made: their I/O threads, the state of the commit that the plan has, and
    /// what makes the next commits. Nothing runs yet.
    /// </summary>
    private protected void Recover(StorePlan plan, IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        Tier first = Core.Tiers[0];
        if (first.PagedLog is null) return;
        foreach (Tier tier in Core.Tiers) tier.IO = new IOThread(tier);
        if (_files is null) return;
        try
        {
            var folder = new CommitFolder(_files, plan.Metadata.Identity, plan.Catalog!);
            if (plan.Commit is { } commit)
            {
                var recovery = new StoreRecovery(folder, Core, plan);
                Recovery = recovery.Run(
                    _journal?.Points ?? commit.Sessions, RecoverySteps(folder, commit, progress, ct));
            }

            ICommitParticipant[] participants =
                [.. MakeParticipants(folder, plan.Commit), .. _journal?.MakeParticipants(folder.Catalog) ?? []];
            var host = new CommitHost(
                Core, OnPhase, (made, record) => Analytics.OnCommitted(made, record), OnCommitted);
            MakeCommits(_files, folder.Catalog, participants, plan.Commit, host);
        }
        catch
        {
            _ownsDevices = false; // the caller may try an older commit on those that are its own
            Core.Closing.CloseAll(AllParts);
            throw;
        }
    }

    /// <summary>Starts what runs in the background. The last step of opening the store.</summary>
    private protected void Start(StorePlan plan, IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        Core.Tiers[0].Index.ByteLimit = Core.MemoryPlan.IndexLimit;
        Sizer.Listen();
        if (plan.StartsThreads) StartThreads();

        try
        {
            _journal?.Begin(ct);
            if (_journal is not null && Recovery is not null)
                Recovery = Recovery with { BytesReplayed = Recovery.BytesReplayed + _journal.BytesReplayed };
        }
        catch
        {
            Core.Closing.CloseAll([StopCompactions, .. AllParts]);
            throw;
        }

        if (plan.StartsThreads) // a commit before this would hold a part of what is replayed
        {
            StartCommits();
            StartCompactions();
        }

        progress?.Report(new RecoveryProgress(RecoveryStep.Done, 0, 0));
    }

    /// <summary>Commits until no kept commit holds space that has been truncated, twice at most.</summary>
    /// <param name="mustStop">Whether the store is being closed, which waits for a commit under way.</param>
    private protected async Task FreeAsync(Func<bool> mustStop)
    {
        // Each commit replaces one of the kept generations by a later one.
        for (int i = 0; i < 2 && !mustStop() && Participants.Any(static participant => participant.HasWork); i++)
            _ = await Core.Coordinator!.RequestAsync(Core.Options.CommitKind, withIndex: false).Here();
    }

    /// <summary>
    /// The steps that recover each part of the store, which return the bytes of log that they replayed.
    /// </summary>
    private protected abstract Func<long>[] RecoverySteps(
        CommitFolder folder, CommitRecord commit, IProgress<RecoveryProgress>? progress, CancellationToken ct);

    /// <summary>Starts the threads that read and flush.</summary>
    private protected virtual void StartThreads()
    {
        foreach (Tier tier in Core.Tiers) tier.IO?.Start();
    }

    /// <summary>Makes the parts that commits capture.</summary>
    private protected abstract ICommitParticipant[] MakeParticipants(CommitFolder folder, CommitRecord? recovered);

    private protected abstract void StartCompactions();

    private protected abstract void StopCompactions();

    /// <summary>Frees the memory that no session can be using any more.</summary>
    private protected virtual void FreeMemory()
    {
        foreach (Tier tier in Core.Tiers) tier.FreeMemory();
    }

    /// <summary>Closes a device, unless it is the caller's and the store could not be opened.</summary>
    private protected void Release(Device? device, Device? ofCaller)
    {
        if (_ownsDevices || device != ofCaller) device?.Dispose();
    }

    private protected sealed override Task CloseAsync(bool blocks) => Core.Closing.RunAsync(
        blocks,
        [() => _journal?.StopCommits(), StopCommits, StopCompactions, EndResizes],
        CommitLastAsync,
        [Sizer.Close, Analytics.Close, .. AllParts, () => Core.Publisher?.Dispose(), () => _files?.Dispose()]);

    // The steps for what exists before background work starts. If a session is still inside an epoch, the memory is
    // leaked rather than freed under it.
    private Action[] AllParts =>
    [
        .. Core.Tiers.SelectMany<Tier, Action>(tier =>
        [
            () => tier.IO?.Dispose(), () => tier.Reader?.CloseQueues(),
            () => Release(tier.Storage?.Device, tier.DeviceOfCaller),
        ]),
        .. OwnParts,
        () => _journal?.Dispose(),
        () =>
        {
            if (Core.Closing.TryDrain()) FreeMemory();
        },
    ];

    // A resize holds a commit up. Without a commit it may be abandoned.
    private void EndResizes()
    {
        if (IsClosingCommitDue) Sizer.EndResizes();
    }

    internal void OnPhase(CommitPhase phase)
    {
        Core.PendingMemory.OnPhase();
        if (phase == CommitPhase.WaitPending && Core.Commits.PendingOf(Core.Commits.Current.Version) != 0)
            Core.WakeIO();
    }

    private Task ResizeIndexAsync(ResizeKind kind, CancellationToken cancellationToken)
    {
        Core.Closing.ThrowIfUnusable();
        return Sizer.ResizeOnRequestAsync(kind).OrCanceled(cancellationToken);
    }
}
