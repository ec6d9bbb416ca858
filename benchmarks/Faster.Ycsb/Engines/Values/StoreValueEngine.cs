using Faster.Engines;

namespace Faster.Ycsb.Engines.Values;

/// <summary>A <see cref="ValueEngine{TSession, TValue}"/> over the engine FASTER.</summary>
/// <param name="startSession">Starts a session of the store.</param>
/// <param name="statistics">What the store says of itself.</param>
/// <param name="dispose">Closes the store.</param>
/// <param name="batchLength">How many keys a call takes: 1 for single calls.</param>
internal sealed class StoreValueEngine<TSession, TValue>(
    Func<TSession> startSession, Func<StoreStatistics> statistics, Func<ValueTask> dispose, int batchLength)
    : ValueEngine<TSession, TValue>(startSession, () => StoreMemory.Of(statistics()), dispose, batchLength),
        IStoreEngine
    where TSession : struct, IValueSession<TValue>
    where TValue : unmanaged
{
    /// <inheritdoc/>
    public StoreStatistics Statistics => statistics();
}
