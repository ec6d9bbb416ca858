using Faster.Workload;
using Faster.Ycsb.Engines.Tables;

namespace Faster.Ycsb.Engines.Bare;

/// <summary>The yardstick of our stores in memory: <see cref="BareTable"/>, one key at a time or in batches.</summary>
internal sealed class BareEngine(BareTable table, bool batches) : IEngine
{
    /// <inheritdoc/>
    public long? MemoryBytes => table.UsedBytes;

    /// <inheritdoc/>
    public IWorker StartWorker() => batches ? new BareBatchWorker(table) : new TableWorker<BareWords>(new(table));

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        table.Dispose();
        return ValueTask.CompletedTask;
    }
}
