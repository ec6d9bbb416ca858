using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>The parts of an open store that have its types of key and value.</summary>
/// <param name="Start">Starts a session, or continues the one of its name.</param>
/// <param name="ScanAsync">Scans; null in an engine that cannot.</param>
/// <param name="HistoryAsync">The records of a key; null in an engine that has one of each.</param>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
internal sealed record KindOfStore<TKey, TValue>(
    Func<string?, ISessionUnderTest<TKey, TValue>> Start,
    Func<ScanOptions?, IAsyncEnumerable<(TKey Key, TValue Value)>>? ScanAsync,
    Func<TKey, IAsyncEnumerable<RecordVersion<ReadResult<TValue>>>>? HistoryAsync = null);
