namespace Faster.Conformance.Contract;

/// <summary>An engine whose stores have the older records of each key; those of its scanned shapes do.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public interface IHistoryEngine<TKey, TValue> : IScannedEngine<TKey, TValue>
    where TKey : notnull;
