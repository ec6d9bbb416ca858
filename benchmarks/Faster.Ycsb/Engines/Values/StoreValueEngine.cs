using Faster.Workload.Engines;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Engines.Values;

/// <summary>A <see cref="ValueEngine{TSession, TValue}"/> over the engine FASTER.</summary>
/// <param name="startSession">Starts a session of the store.</param>
/// <param name="statistics">What the store says of itself.</param>
/// <param name="compact">Compacts its log up to an address.</param>
/// <param name="dispose">Closes the store.</param>
/// <param name="batchLength">How many keys a call takes: 1 for single calls.</param>
internal sealed class StoreValueEngine<TSession, TValue>(
    Func<TSession> startSession, Func<StoreStatistics> statistics,
    Func<long, CancellationToken, Task<CompactionResult>> compact, Func<ValueTask> dispose, int batchLength)
    : ValueEngine<TSession, TValue>(startSession, () => StoreMemory.Of(statistics()), dispose, batchLength),
        IStoreEngine, ICompactingEngine
    where TSession : struct, IValueSession<TValue>
    where TValue : unmanaged
{
    /// <inheritdoc/>
    public StoreStatistics Statistics => statistics();

    /// <inheritdoc/>
    public long LogBytes => Statistics.TailAddress - Statistics.BeginAddress;

    /// <inheritdoc/>
    public Task CompactAsync(long bytes, CompactionMethod method) => method == CompactionMethod.Lookup
        ? compact(Statistics.BeginAddress + bytes, CancellationToken.None)
        : throw new NotSupportedException("A store of ours compacts by look-ups.");
}
