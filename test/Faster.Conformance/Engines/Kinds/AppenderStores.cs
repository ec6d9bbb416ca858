using Faster.Contracts;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>Stores of <see cref="Appenders"/> on any engine.</summary>
internal static class AppenderStores
{
    /// <summary>An open store.</summary>
    public static StoreUnderTest<byte[], byte[]> Of(Appenders.IStore store) => new(store, KindOf(store));

    /// <summary>The parts of a store that have its types.</summary>
    public static KindOfStore<byte[], byte[]> KindOf(Appenders.IStore store) => new(
        name => new AppenderSession(
            store is Appenders.ICommittingStore named ? named.StartSession(name) : store.StartSession()),
        store is IScanStore<Appenders.Record> scans ? options => ScanAsync(scans, options) : null,
        store is IHistoryStore<Appenders.Record> histories ? key => PastAsync(histories, key) : null);

    private static async IAsyncEnumerable<(byte[] Key, byte[] Value)> ScanAsync(
        IScanStore<Appenders.Record> store, ScanOptions? options)
    {
        await foreach (Appenders.Record record in store.ScanAsync(options, default))
            yield return (record.Key, record.Value!);
    }

    private static async IAsyncEnumerable<RecordVersion<ReadResult<byte[]>>> PastAsync(
        IHistoryStore<Appenders.Record> store, byte[] key)
    {
        await foreach (RecordVersion<Appenders.Record> past in store.HistoryAsync(new BytesKey(key), default))
        {
            Appenders.Record record = past.Record;
            yield return new(record.IsTombstone ? default : new(true, record.Value!), past.Address, past.Version);
        }
    }
}
