using Faster.Conformance.Contract;
using Faster.Conformance.Engines.FasterStore;

namespace Faster.Conformance.Engines.Tiered;

/// <summary>An open store on the engine F2. Thread-safe, as the store is.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
internal sealed class TieredStoreUnderTest<TKey, TValue> : IStoreUnderTest<TKey, TValue>
{
    /// <summary>Starts a session.</summary>
    public required Func<ISessionUnderTest<TKey, TValue>> Start { private get; init; }

    /// <inheritdoc/>
    public StoreScans<TKey, TValue>? Scans { get; init; }

    /// <inheritdoc/>
    public StoreDurability<TKey, TValue>? Durability { get; init; }

    /// <inheritdoc/>
    public Func<TKey, IAsyncEnumerable<RecordVersion<ReadResult<TValue>>>>? HistoryAsync { get; init; }

    /// <summary>Closes it.</summary>
    public required Func<ValueTask> CloseAsync { private get; init; }

    /// <summary>Figures.</summary>
    public required Func<TieredStatistics> Read { private get; init; }

    /// <summary>Doubles the hot index.</summary>
    public required Func<CancellationToken, Task> GrowAsync { private get; init; }

    /// <summary>Halves it.</summary>
    public required Func<CancellationToken, Task> ShrinkAsync { private get; init; }

    /// <inheritdoc/>
    public StoreWork? Work
    {
        get
        {
            TieredStatistics now = Read();
            return new StoreWork(
                now.HotIndexGrowths, now.HotIndexShrinks, now.HotCompactions > 0, now.DiskReads + now.ColdIndexReads,
                now.RecordsMoved);
        }
    }

    /// <inheritdoc/>
    public ISessionUnderTest<TKey, TValue> StartSession() => Start();

    /// <inheritdoc/>
    public Task ResizeIndexAsync(bool grow) => FasterShapes.TryResizeAsync(grow ? GrowAsync : ShrinkAsync);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => CloseAsync();
}
