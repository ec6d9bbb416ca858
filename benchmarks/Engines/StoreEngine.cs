using Faster.Workload;

namespace Faster.Engines;

/// <summary>A generated store with its log in memory.</summary>
internal sealed class StoreEngine : IEngine
{
    private readonly Numbers.Store _store;
    private readonly bool _batches;

    private StoreEngine(Numbers.Store store, bool batches)
    {
        _store = store;
        _batches = batches;
    }

    /// <summary>Opens an empty store.</summary>
    public static async Task<IEngine> OpenAsync(long keys, bool batches) =>
        new StoreEngine(await Numbers.OpenAsync(null, NumbersOptions.For(keys)), batches);

    /// <inheritdoc/>
    public long? MemoryBytes => StoreMemory.Of(_store.Statistics);

    /// <inheritdoc/>
    public IWorker StartWorker() =>
        _batches ? new BatchWorker(_store.StartSession()) : new SingleWorker(_store.StartSession());

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _store.DisposeAsync();
}
