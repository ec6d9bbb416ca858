using Faster.Workload;
using Faster.Ycsb.Engines.Tables;

namespace Faster.Ycsb.Engines.Chaining;

/// <summary>The baseline of HotRing: <see cref="ChainingTable"/>, one key at a time.</summary>
internal sealed class ChainingEngine(ChainingTable table) : IEngine
{
    /// <inheritdoc/>
    public long? MemoryBytes => table.UsedBytes;

    /// <inheritdoc/>
    public IWorker StartWorker() => new TableWorker<ChainingWords>(new(table));

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        table.Dispose();
        return ValueTask.CompletedTask;
    }
}
