namespace Faster.Conformance.Contract;

/// <summary>An engine whose stores can be scanned, exported and imported.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public interface IScannedEngine<TKey, TValue> : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    /// <summary>The configurations that can be scanned; their stores have <c>Scans</c>.</summary>
    static abstract IReadOnlyList<EngineShape> ScannedShapes { get; }
}

/// <summary>Scans, export and import of one open store.</summary>
/// <param name="ScanAsync">Scans the live records.</param>
/// <param name="ExportAsync">Writes the live records to a stream.</param>
/// <param name="ImportAsync">Writes the records of a stream into the store.</param>
/// <param name="CommitAsync">Commits; null if the state as of a commit can't be scanned.</param>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public sealed record StoreScans<TKey, TValue>(
    Func<ScanOptions, IAsyncEnumerable<(TKey Key, TValue Value)>> ScanAsync, Func<Stream, Task<long>> ExportAsync,
    Func<Stream, Task<long>> ImportAsync, Func<Task<Commit>>? CommitAsync = null);
