using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.HotRing;

/// <summary>An open store on the HotRing engine. Thread-safe, as the store is.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
internal sealed class HotRingStoreUnderTest<TKey, TValue>(
    Func<ISessionUnderTest<TKey, TValue>> start, Func<ValueTask> closeAsync) : IStoreUnderTest<TKey, TValue>
{
    /// <inheritdoc/>
    public StoreScans<TKey, TValue>? Scans { get; init; }

    /// <inheritdoc/>
    public ISessionUnderTest<TKey, TValue> StartSession() => start();

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => closeAsync();
}
