using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Checkpoints.Recovery;
using Faster.Commits;
using Faster.Compaction;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.HashChunks;
using Faster.Log;
using Faster.LogCommits;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Engines.Tiered;

/// <summary>
/// The commits of a tiered store in a folder: its recovery, its participants, and who asks for commits
/// (docs/internals/tiered-commits.md).
/// </summary>
/// <remarks>Thread-safe once the store is open.</remarks>
internal sealed class TieredCommits : IDisposable
{
    private readonly StoreCore _core;
    private readonly ICommitParticipant[] _participants;
    private readonly ClosingCommit _closing;
    private readonly PeriodicCommits? _periodic;

    /// <summary>Recovers the store if its plan has a commit, and prepares its commits. Nothing else runs yet.</summary>
    /// <param name="store">The store.</param>
    /// <param name="plan">Its plan, in a folder.</param>
    /// <param name="hot">The hot log.</param>
    /// <param name="cold">The cold log.</param>
    /// <param name="progress">Receives the progress of the recovery; or null.</param>
    /// <param name="ct">Cancels the recovery.</param>
    /// <exception cref="DamagedDataException">A file that the commit names can't be trusted.</exception>
    /// <exception cref="StorageException">The disk can't be read or written.</exception>
    public TieredCommits(
        TieredStore store, TieredPlan plan, DurableLog hot, DurableLog cold,
        IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        _core = store.Core;
        StoreFiles files = plan.Hot.Files!;
        CommitRecord? commit = plan.Hot.Commit;
        var folder = new CommitFolder(files, plan.Hot.Metadata.Identity, plan.Hot.Catalog!);
        ChunkIndex index = store.ColdIndex;
        var chunks = new DurableLog(
            StoreFileNames.ChunkLog, index.Log.Pages, index.Log.Storage, index.Log.Flusher,
            store.IndexCompactor.Rising, store.IndexCompactor.Space, new LogAgeIndex(_core.Options.TimeProvider));
        if (commit is not null)
        {
            long Recover(Tier tier, DurableLog log, IndexReplay replay) =>
                new TierRecovery(folder, tier, log, commit, replay).Run(progress, ct);

            long RecoverDirectory()
            {
                DirectoryFile.Read(
                    files, commit.PartOf(chunks.Name).File!, folder.Identity, index.Directory,
                    commit.LogOf(chunks.Name));
                return 0;
            }

            Recovery = new StoreRecovery(folder, _core, plan.Hot).Run(
                () => Recover(store.Hot, hot, IndexReplay.OfUpperTier),
                () => Recover(store.Cold, cold, IndexReplay.None),
                () => Recover(store.Cold, chunks, IndexReplay.None), RecoverDirectory);
        }

        var hotPart = new LogParticipant(folder, store.Hot, hot, commit);
        var coldPart = new ColdParticipant(
            folder, cold, chunks, index.Directory, store.Copies, _core.Commits, new StepWaits(_core.Epochs),
            commit);
        (HotSpace, ColdSpace) = (hotPart.Held, coldPart.HeldLog);
        _participants = [hotPart, coldPart];
        var publisher = new CommitPublisher(files, folder.Catalog, _core.OnFault);
        _core.Publisher = publisher;
        var host = new CommitHost(_core, (made, by) => store.Analytics.OnCommitted(made, by), store.OnCommitted);
        Coordinator = host.MakeCoordinator(_participants, publisher, commit);
        _closing = new ClosingCommit(Coordinator, publisher, _core.Options, files.Name);
        if (PeriodicCommits.AreWanted(_core.Options))
            _periodic = new PeriodicCommits(store.Hot, Coordinator);
    }

    /// <summary>What opening the store has recovered; null if there was no commit.</summary>
    public RecoveryReport? Recovery { get; }

    /// <summary>The space of the hot log that kept commits may need.</summary>
    public HeldSpace HotSpace { get; }

    /// <summary>The space of the cold log that kept commits may need.</summary>
    public HeldSpace ColdSpace { get; }

    /// <summary>Makes the commits.</summary>
    public CommitCoordinator Coordinator { get; }

    /// <summary>Whether closing the store will commit.</summary>
    public bool IsLastDue => _closing.IsDue;

    /// <summary>Starts the commits by time or bytes.</summary>
    public void Start() => _periodic?.Start();

    /// <summary>Commits until no kept commit holds space that has been truncated, twice at most.</summary>
    /// <param name="mustStop">Whether the store is being closed.</param>
    public async Task FreeAsync(Func<bool> mustStop)
    {
        // Each commit replaces one of the kept generations by a later one.
        for (int i = 0; i < 2 && !mustStop() && _participants.Any(static participant => participant.HasWork); i++)
            _ = await Coordinator.RequestAsync(_core.Options.CommitKind, withIndex: false).Here();
    }

    /// <inheritdoc cref="ClosingCommit.RunAsync"/>
    public Task<StorageException?> CommitLastAsync(bool isIndexHalfResized) => _closing.RunAsync(isIndexHalfResized);

    /// <summary>Ends the commits by time or bytes.</summary>
    public void Dispose() => _periodic?.Dispose();
}
