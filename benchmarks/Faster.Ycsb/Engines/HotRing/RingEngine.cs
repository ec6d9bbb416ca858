using Faster.Workload.Engines;
using Faster.Workload;

namespace Faster.Ycsb.Engines.HotRing;

/// <summary>A store on the engine HotRing.</summary>
internal sealed class RingEngine(Numbers.HotRingStore store, bool batches) : IEngine
{
    /// <inheritdoc/>
    public long? MemoryBytes => store.Statistics.MemoryBytes;

    /// <inheritdoc/>
    public IWorker StartWorker() =>
        batches
            ? new BatchWorker<RingSession>(new(store.StartSession()))
            : new SingleWorker<RingSession>(new(store.StartSession()));

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();
}
