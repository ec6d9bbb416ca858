namespace Faster.Conformance.Engines.Kinds;

/// <summary>Stores of <see cref="MergedAppenders"/> on any engine.</summary>
internal static class MergedAppenderStores
{
    /// <summary>An open store.</summary>
    public static StoreUnderTest<byte[], byte[]> Of(MergedAppenders.IStore store) => new(store, KindOf(store));

    /// <summary>The parts of a store that have its types.</summary>
    public static KindOfStore<byte[], byte[]> KindOf(MergedAppenders.IStore store) => new(
        name => new MergedAppenderSession(store.StartSession(name)),
        options => ScanAsync(store, options));

    private static async IAsyncEnumerable<(byte[] Key, byte[] Value)> ScanAsync(
        MergedAppenders.IStore store, ScanOptions? options)
    {
        await foreach (MergedAppenders.Record record in store.ScanAsync(options))
            yield return (record.Key, record.Value!);
    }
}
