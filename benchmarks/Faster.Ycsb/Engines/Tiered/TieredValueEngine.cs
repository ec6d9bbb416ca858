using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Engines.Tiered;

/// <summary>A <see cref="ValueEngine{TSession, TValue}"/> over the engine F2.</summary>
/// <param name="startSession">Starts a session of the store.</param>
/// <param name="statistics">What the store says of itself.</param>
/// <param name="dispose">Closes the store.</param>
/// <param name="batchLength">How many keys a call takes: 1 for single calls.</param>
internal sealed class TieredValueEngine<TSession, TValue>(
    Func<TSession> startSession, Func<TieredStatistics> statistics, Func<ValueTask> dispose, int batchLength)
    : ValueEngine<TSession, TValue>(startSession, () => TieredSource.MemoryOf(statistics()), dispose, batchLength),
        ITieredEngine
    where TSession : struct, IValueSession<TValue>
    where TValue : unmanaged
{
    /// <inheritdoc/>
    public TieredStatistics Statistics => statistics();
}
