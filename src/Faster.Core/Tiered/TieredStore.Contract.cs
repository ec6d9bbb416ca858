using Faster.Commits;
using Faster.Contracts;
using Faster.Index.Resizing;
using Faster.Log;
using Faster.Sessions;
using Faster.Threads;
using Faster.Tiered.Scans;

namespace Faster.Tiered;

/// <summary>The capabilities of the tiered store (docs/internals/engine-contract.md).</summary>
public sealed partial class TieredStore
    : IEngineStore<TieredSession, TieredOptions>,
        ICommitStore<TieredStore, TieredSession, TieredOptions>,
        ILogCommitStore,
        IMergingStore,
        ISubscriptionStore<TieredAnalytics>,
        ICommitScanStore<TieredAnalytics>,
        IHistoryStore<TieredAnalytics>,
        IIndexStore,
        IFaultStore,
        IStatisticsStore<TieredStatistics>
{
    /// <inheritdoc/>
    public event EventHandler<FaultEventArgs>? FaultOccurred
    {
        add => Core.Faults.Occurred += value;
        remove => Core.Faults.Occurred -= value;
    }

    /// <inheritdoc/>
    public TieredStatistics Statistics
    {
        get
        {
            Core.Closing.ThrowIfUnusable();
            return new TieredStatistics
            {
                HotLogBytes = Hot.Log.TailAddress - Hot.Log.BeginAddress,
                HotBytesInMemory = Hot.Log.BytesInMemory,
                ColdLogBytes = Cold.Log.TailAddress - Cold.Log.BeginAddress,
                ColdIndexLogBytes = ColdIndex.Log.Pages.TailAddress - ColdIndex.Log.Pages.BeginAddress,
                HotIndexBytes = Hot.Index.Bytes,
                HotIndexGrowths = _sizer.Growths,
                HotIndexShrinks = _sizer.Shrinks,
                ColdChunks = ColdIndex.Directory.ChunkCount,
                ColdIndexFill = ColdIndex.Fill,
                HotCompactions = HotTruncation.Figures.Runs,
                RecordsMoved = HotTruncation.Figures.RecordsCopied,
                ColdCompactions = ColdTruncation.Figures.Runs,
                RecordsCopied = ColdTruncation.Figures.RecordsCopied,
                ColdIndexCompactions = IndexCompactor.Runs,
                DeltasAppended = Hot.Merges.Appended,
                DeltasCollapsed = Hot.Merges.Collapsed,
                DiskBudgetExceeded = _hotCompactor.IsExceeded || _coldCompactor?.IsExceeded == true
                    || IndexCompactor.IsExceeded,
                DiskReads = Hot.Storage!.Reads + Cold.Storage!.Reads,
                ColdIndexReads = ColdIndex.Reads,
                BytesRead = Hot.Storage!.BytesRead + Cold.Storage!.BytesRead + ColdIndex.Log.Storage.BytesRead,
                BytesWritten = Hot.Storage.BytesWritten + Cold.Storage.BytesWritten
                    + ColdIndex.Log.Storage.BytesWritten,
                ReadCacheHits = Hot.Cache?.Hits ?? 0,
                ReadCacheBytes = Hot.Cache?.BytesInMemory ?? 0,
                LastFault = Core.Faults.Last,
            };
        }
    }

    /// <summary>
    /// Raised after each commit, in order, on a thread of the store. Handlers must return quickly; an exception that a
    /// handler throws becomes <see cref="TieredStatistics.LastFault"/>.
    /// </summary>
    public event Action<Commit>? Committed;

    /// <summary>Scans of both tiers, export and import, and subscriptions to the hot log.</summary>
    public TieredAnalytics Analytics { get; }

    /// <inheritdoc/>
    public RecoveryReport? Recovery => _commits?.Recovery;

    /// <inheritdoc/>
    public static ValueTask<TieredStore> OpenAsync(
        string? path, TieredOptions options, RecordSchema schema, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        return TieredOpener.OpenAsync(path, options, schema, mustExist: false, null, cancellationToken);
    }

    /// <inheritdoc/>
    public static ValueTask<TieredStore> RecoverAsync(
        string path, TieredOptions options, RecordSchema schema, IProgress<RecoveryProgress>? progress,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(options);
        return TieredOpener.OpenAsync(path, options, schema, mustExist: true, progress, cancellationToken);
    }

    /// <summary>
    /// Commits: makes all operations before the call durable in both tiers, while operations continue (paper 004 §5).
    /// Completes immediately if nothing has changed since the last commit.
    /// </summary>
    /// <param name="kind">
    /// How the commit captures the hot log; null for <see cref="TieredOptions.CommitKind"/>. The cold log is flushed.
    /// </param>
    /// <param name="withIndex">
    /// Whether the commit includes a new checkpoint of the hot index. Commits include one from time to time anyway.
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

    /// <summary>Takes a checkpoint of the hot index without a commit. Subsequent commits refer to it.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the checkpoint.</param>
    /// <exception cref="StorageException">The checkpoint could not be written.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task CheckpointIndexAsync(CancellationToken cancellationToken = default) =>
        Coordinator().CheckpointIndexAsync().OrCanceled(cancellationToken);

    /// <inheritdoc cref="ICommitStore{TStore, TSession, TOptions}.StartSession(string)"/>
    public TieredSession StartSession(string? name = null) => Start(name, mustBeKnown: false);

    /// <inheritdoc/>
    public TieredSession StartSession(Guid id) => StartSession(id.ToString("D"));

    /// <inheritdoc/>
    public TieredSession ContinueSession(string name, out CommitPoint point)
    {
        ArgumentNullException.ThrowIfNull(name);
        TieredSession session = Start(name, mustBeKnown: true);
        point = session.RecoveredPoint;
        return session;
    }

    /// <inheritdoc/>
    public TieredSession ContinueSession(Guid id, out CommitPoint point) =>
        ContinueSession(id.ToString("D"), out point);

    /// <inheritdoc/>
    public bool ForgetSession(string name) => Core.Sessions.Forget(name);

    /// <summary>Doubles the hot index while operations continue, before it is full enough to grow by itself.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the growth.</param>
    /// <exception cref="LimitExceededException">The index would exceed half of the hot tier's memory.</exception>
    public Task GrowIndexAsync(CancellationToken cancellationToken = default) =>
        ResizeIndexAsync(ResizeKind.Split, cancellationToken);

    /// <summary>Halves the hot index while operations continue, and gives the memory to the hot log.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the shrinking.</param>
    /// <exception cref="LimitExceededException">The index cannot be halved; the message says why.</exception>
    public Task ShrinkIndexAsync(CancellationToken cancellationToken = default) =>
        ResizeIndexAsync(ResizeKind.Join, cancellationToken);

    TieredSession IEngineStore<TieredSession, TieredOptions>.StartSession() => StartSession();

    Task<Commit> ICommitStore<TieredStore, TieredSession, TieredOptions>.CommitAsync(
        CancellationToken cancellationToken) => CommitAsync(cancellationToken: cancellationToken);

    private TieredSession Start(string? name, bool mustBeKnown) =>
        Core.Start(name, mustBeKnown, entry => new TieredSession(this, name, entry));

    private CommitCoordinator Coordinator()
    {
        Core.Closing.ThrowIfUnusable();
        return _commits?.Coordinator ?? throw new NotSupportedException(
            "A store without a folder cannot commit. Open it with a path.");
    }

    private Task ResizeIndexAsync(ResizeKind kind, CancellationToken cancellationToken)
    {
        Core.Closing.ThrowIfUnusable();
        return _sizer.ResizeOnRequestAsync(kind).OrCanceled(cancellationToken);
    }
}
