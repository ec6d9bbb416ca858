namespace Faster.Conformance.Engines.Kinds;

/// <summary>Stores of <see cref="MergedCounters"/> on any engine.</summary>
internal static class MergedCounterStores
{
    /// <summary>An open store.</summary>
    public static StoreUnderTest<long, long> Of(MergedCounters.IStore store) => new(store, KindOf(store));

    /// <summary>The parts of a store that have its types.</summary>
    public static KindOfStore<long, long> KindOf(MergedCounters.IStore store) => new(
        name => new MergedCounterSession(store.StartSession(name)),
        options => ScanAsync(store, options));

    private static async IAsyncEnumerable<(long Key, long Value)> ScanAsync(
        MergedCounters.IStore store, ScanOptions? options)
    {
        await foreach (MergedCounters.Record record in store.ScanAsync(options))
            yield return (record.Key, record.Value);
    }
}
