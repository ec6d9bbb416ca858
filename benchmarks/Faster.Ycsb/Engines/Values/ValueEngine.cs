using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>A generated store of values of a fixed size, in memory or larger than it.</summary>
/// <param name="startSession">Starts a session of the store.</param>
/// <param name="memoryBytes">The memory of its records and indexes.</param>
/// <param name="dispose">Closes the store.</param>
/// <param name="batchLength">How many keys a call takes: 1 for single calls.</param>
internal class ValueEngine<TSession, TValue>(
    Func<TSession> startSession, Func<long> memoryBytes, Func<ValueTask> dispose, int batchLength) : IEngine
    where TSession : struct, IValueSession<TValue>
    where TValue : unmanaged
{
    /// <inheritdoc/>
    public long? MemoryBytes => memoryBytes();

    /// <inheritdoc/>
    public IWorker StartWorker() => batchLength == 1
        ? new ValueWorker<TSession, TValue>(startSession())
        : new ValueBatchWorker<TSession, TValue>(startSession(), batchLength);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => dispose();
}
