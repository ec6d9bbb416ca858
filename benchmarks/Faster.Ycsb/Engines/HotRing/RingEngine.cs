using Faster.Workload;

namespace Faster.Ycsb.Engines.HotRing;

/// <summary>A store on the engine HotRing.</summary>
internal sealed class RingEngine(RingNumbers.Store store, bool batches) : IEngine
{
    /// <inheritdoc/>
    public long? MemoryBytes => RingSource.MemoryOf(store.Statistics);

    /// <inheritdoc/>
    public IWorker StartWorker() =>
        batches ? new RingBatchWorker(store.StartSession()) : new RingWorker(store.StartSession());

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();
}
