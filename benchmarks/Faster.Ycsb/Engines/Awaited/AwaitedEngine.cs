using Faster.Workload;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Engines.Awaited;

/// <summary>A store of ours whose writes are waited for: by threads, by batch, or by awaiting sessions.</summary>
/// <param name="startSession">Starts a session of the store.</param>
/// <param name="statistics">What the store says of itself.</param>
/// <param name="dispose">Closes the store.</param>
internal sealed class AwaitedEngine<TSession, TValue>(
    Func<TSession> startSession, Func<EngineStatistics> statistics, Func<ValueTask> dispose)
    : IDurableEngine
    where TSession : struct, IAwaitedSession<TValue>
    where TValue : unmanaged
{
    /// <inheritdoc/>
    public SyncCounts? Syncs
    {
        get
        {
            EngineStatistics now = statistics();
            return new SyncCounts(now.OperationLogSyncs, now.OperationLogSyncTime.TotalSeconds);
        }
    }

    /// <inheritdoc/>
    public IWorker StartWorker() => new AwaitedWorker<TSession, TValue>(startSession());

    /// <inheritdoc/>
    public IAwaitedWriter StartAwaitedWriter(int depth) => new AwaitedWriter<TSession, TValue>(startSession(), depth);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => dispose();
}
