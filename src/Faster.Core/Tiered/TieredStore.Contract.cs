using Faster.Contracts;
using Faster.Index.Resizing;

namespace Faster.Tiered;

/// <summary>The capabilities of the tiered store (docs/internals/engine-contract.md).</summary>
public sealed partial class TieredStore<TProbe>
    : IEngineStore<TieredSession<TProbe>, TieredOptions>,
        IMemoryStore<TieredStore<TProbe>, TieredOptions>,
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
                HotCompactions = HotTruncation.Figures.Runs,
                RecordsMoved = HotTruncation.Figures.RecordsCopied,
                ColdCompactions = ColdTruncation.Figures.Runs,
                RecordsCopied = ColdTruncation.Figures.RecordsCopied,
                ColdIndexCompactions = IndexCompactor.Runs,
                DiskBudgetExceeded = _coldCompactor?.IsExceeded ?? false,
                DiskReads = Hot.Storage!.Reads + Cold.Storage!.Reads,
                ColdIndexReads = ColdIndex.Reads,
                ReadCacheHits = Hot.Cache?.Hits ?? 0,
                ReadCacheBytes = Hot.Cache?.BytesInMemory ?? 0,
                LastFault = Core.Faults.Last,
            };
        }
    }

    /// <inheritdoc/>
    public static ValueTask<TieredStore<TProbe>> OpenAsync(
        TieredOptions options, RecordSchema schema, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        var plan = TieredPlan.For(options, schema);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<TieredStore<TProbe>>(cancellationToken)
            : new(new TieredStore<TProbe>(plan));
    }

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

    TieredSession<TProbe> IEngineStore<TieredSession<TProbe>, TieredOptions>.StartSession() => StartSession();

    private Task ResizeIndexAsync(ResizeKind kind, CancellationToken cancellationToken)
    {
        Core.Closing.ThrowIfUnusable();
        return _sizer.ResizeOnRequestAsync(kind).WaitAsync(cancellationToken);
    }
}
