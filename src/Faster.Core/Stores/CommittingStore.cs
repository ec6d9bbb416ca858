using System.ComponentModel;
using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.LogCommits;
using Faster.OperationLogs;
using Faster.Opening;
using Faster.Operations.Journaling;
using Faster.Sessions;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Stores;

/// <summary>What stores that commit to a folder have, whatever a commit captures.</summary>
/// <remarks>Thread-safe. Operations go through sessions; a store may have any number of them.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class CommittingStore : EngineStore, ICommittingStore, IFaultStore
{
    private readonly Lock _lock = new();
    private (Commit Commit, long Moment)? _last;
    private ClosingCommit? _closingCommit;
    private PeriodicCommits? _periodic;

    private protected CommittingStore()
    {
    }

    /// <summary>
    /// Raised after each commit, in order, on a thread of the store. Handlers must return quickly; an exception that a
    /// handler throws becomes the store's last fault.
    /// </summary>
    public event Action<Commit>? Committed;

    /// <summary>
    /// Raised after each internal fault that affected no operation, in order, one at a time, on a thread-pool thread.
    /// An exception thrown by a handler is counted as a fault and raises no event.
    /// </summary>
    public event EventHandler<FaultEventArgs>? FaultOccurred
    {
        add => Core.Faults.Occurred += value;
        remove => Core.Faults.Occurred -= value;
    }

    /// <summary>What opening the store has recovered; null if there was no commit.</summary>
    public RecoveryReport? Recovery { get; private protected set; }

    /// <summary>The state that the store's sessions, tiers and background work share.</summary>
    internal abstract StoreCore Core { get; }

    /// <summary>The parts that commits capture.</summary>
    private protected IReadOnlyList<ICommitParticipant> Participants { get; private set; } = [];

    /// <summary>Whether closing the store makes a last commit.</summary>
    private protected bool IsClosingCommitDue => _closingCommit is { IsDue: true };

    /// <summary>Forgets a named session that is not open. Later commits do not include it.</summary>
    /// <param name="name">The session's name; for a Guid, its text in the format "D".</param>
    /// <returns>Whether the session was known.</returns>
    /// <exception cref="SessionMisuseException">The session is open.</exception>
    public bool ForgetSession(string name) => Core.Sessions.Forget(name);

    internal void OnFault(Exception fault) => Core.OnFault(fault);

    /// <summary>Requests a commit that captures as the options say.</summary>
    internal Task<Commit> RequestCommitAsync() =>
        Core.RequireCoordinator().RequestAsync(Core.Options.CommitKind, withIndex: false);

    internal void OnCommitted(Commit commit)
    {
        OnCommit();
        lock (_lock) _last = (commit, Environment.TickCount64);
        Committed?.Invoke(commit);
    }

    /// <summary>Called with each commit, before the store's users hear of it.</summary>
    private protected virtual void OnCommit() { }

    /// <summary>Makes what makes the store's commits. Nothing runs yet.</summary>
    /// <param name="files">The store's folder.</param>
    /// <param name="catalog">The commits in it.</param>
    /// <param name="participants">The parts that commits capture.</param>
    /// <param name="recovered">The commit that the store was opened from, or null.</param>
    /// <param name="host">Hears of the commits.</param>
    private protected void MakeCommits(
        StoreFiles files, CommitCatalog catalog, IReadOnlyList<ICommitParticipant> participants,
        CommitRecord? recovered, CommitHost host)
    {
        Participants = participants;
        Core.Publisher = new CommitPublisher(files, catalog, OnFault);
        Core.Coordinator = host.MakeCoordinator(participants, Core.Publisher, recovered);
        _closingCommit = new ClosingCommit(Core.Coordinator, Core.Publisher, Core.Options, files.Name);
        if (PeriodicCommits.AreWanted(Core.Options))
            _periodic = new PeriodicCommits(Core.Tiers[0], Core.Coordinator);
    }

    /// <summary>Starts the periodic commits, if the options ask for them.</summary>
    private protected void StartCommits() => _periodic?.Start();

    /// <summary>Ends the periodic commits.</summary>
    private protected void StopCommits() => _periodic?.Dispose();

    /// <summary>Makes the last commit, if the options ask for it and anything was done.</summary>
    /// <returns>Why it was not made; or null.</returns>
    private protected Task<StorageException?> CommitLastAsync() =>
        _closingCommit?.RunAsync(Core.Tiers[0].Index.IsResizing) ?? Task.FromResult<StorageException?>(null);

    /// <summary>Returns an engine's figures with those that all stores with commits have.</summary>
    private TStatistics WithCommits<TStatistics>(TStatistics own)
        where TStatistics : EngineStatistics
    {
        (Commit Commit, long Moment)? last;
        lock (_lock) last = _last;
        return (TStatistics)((EngineStatistics)own with
        {
            HasUncommittedWork = Core.Coordinator is not null && Core.Sessions.HasWork,
            Sessions = Core.Sessions.Count,
            LastCommit = last?.Commit,
            LastCommitAge = last is { } done
                ? TimeSpan.FromMilliseconds(Environment.TickCount64 - done.Moment)
                : null,
            StalledBy = Core.Epochs.StalledBy,
            IsPoisoned = Core.Commits.Current.IsPoisoned,
            LastFault = Core.Faults.Last,
        });
    }

    /// <summary>Returns an engine's figures with those of commits and operation logs.</summary>
    /// <param name="shared">What the sessions share of the logs; null if there are none.</param>
    /// <param name="own">The engine's figures.</param>
    private protected TStatistics WithLogs<TStatistics>(SharedLogs? shared, TStatistics own)
        where TStatistics : EngineStatistics
    {
        LogSet? logs = shared is { IsOn: true } ? shared.Logs : null;
        (long syncs, TimeSpan syncTime) = logs?.Syncs ?? default;
        own = WithCommits(own);
        return (TStatistics)((EngineStatistics)own with
        {
            MemoryBytes = own.MemoryBytes + (logs?.Bytes ?? 0),
            DiskBytes = own.DiskBytes + (logs?.Bytes ?? 0),
            OperationLogBytes = logs?.Used ?? 0,
            OperationLogSyncs = syncs,
            OperationLogSyncTime = syncTime,
            IsPoisoned = own.IsPoisoned || logs?.Failure is not null,
        });
    }

    Task<Commit> ICommittingStore.CommitAsync(CancellationToken cancellationToken) =>
        RequestCommitAsync().OrCanceled(cancellationToken);
}
