using Faster.Contracts;
using Faster.Engines.Tiered.Scans;
using Faster.Log;
using Faster.LogSessions;
using Faster.Sessions;

namespace Faster.Engines.Tiered;

/// <summary>Opening, sessions, and figures.</summary>
public partial class TieredStore
{
    /// <inheritdoc/>
    public override TieredStatistics Statistics
    {
        get
        {
            Core.Closing.ThrowIfUnusable();
            PagedLog chunks = ColdIndex.Log.Pages;
            return WithShared(new TieredStatistics
            {
                HotLogBytes = Hot.Log.TailAddress - Hot.Log.BeginAddress,
                HotBytesInMemory = Hot.Log.BytesInMemory,
                ColdLogBytes = Cold.Log.TailAddress - Cold.Log.BeginAddress,
                ColdIndexLogBytes = ColdIndex.Log.Pages.TailAddress - ColdIndex.Log.Pages.BeginAddress,
                HotIndexBytes = Hot.Index.Bytes,
                HotIndexGrowths = Sizer.Growths,
                HotIndexShrinks = Sizer.Shrinks,
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
                MemoryBytes = Hot.Log.BytesInMemory + Hot.Index.Bytes + (Hot.Cache?.BytesInMemory ?? 0)
                    + Cold.Log.BytesInMemory + chunks.BytesInMemory + (ColdIndex.Directory.ChunkCount * sizeof(long)),
                DiskBytes = HotLog.DiskBytes
                    + ColdLog.DiskBytes
                    + IndexCompactor.Space.BytesUpTo(chunks.FlushedUntilAddress),
            });
        }
    }

    /// <summary>Scans of both tiers, export and import, and subscriptions to the hot log.</summary>
    internal override TieredAnalytics Analytics { get; }

    /// <inheritdoc cref="TieredEngine.OpenAsync"/>
    internal static ValueTask<TieredStore> OpenAsync(
        string? path, TieredOptions options, RecordSchema schema, CancellationToken cancellationToken) =>
        TieredEngine.OpenAsync(path, options, schema, Plain, null, cancellationToken);

    /// <inheritdoc cref="TieredEngine.RecoverAsync"/>
    internal static ValueTask<TieredStore> RecoverAsync(
        string path, TieredOptions options, RecordSchema schema, IProgress<RecoveryProgress>? progress,
        CancellationToken cancellationToken) =>
        TieredEngine.RecoverAsync(path, options, schema, Plain, progress, cancellationToken);

    internal TieredSession StartSession(string? name = null) => (TieredSession)Start(name);

    internal TieredSession ContinueSession(string name, out CommitPoint point) =>
        (TieredSession)Continue(name, out point);

    private protected override TieredSession MakeSession(string? name, SessionEntry entry) => new(this, name, entry);

    private protected override LogSession StartInternal(string owner) => new TieredSession(this, owner);

    /// <summary>Makes a store without the types of emitted code.</summary>
    internal static TieredStore Plain(TieredStart start) => new(start.Plan, start.Progress, start.Ct);
}
