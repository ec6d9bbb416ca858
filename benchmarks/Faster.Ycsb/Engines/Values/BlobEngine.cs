using Faster.Workload.Engines;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>A generated store of values of any length, in memory or larger than it; single calls.</summary>
internal sealed class BlobEngine(Blobs.Store store, int valueBytes) : IEngine
{
    /// <inheritdoc/>
    public long? MemoryBytes => StoreMemory.Of(store.Statistics);

    /// <inheritdoc/>
    public IWorker StartWorker() => new BlobWorker(store.StartSession(), valueBytes);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();
}
