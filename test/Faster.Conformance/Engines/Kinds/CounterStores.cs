using Faster.Contracts;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>Stores of <see cref="Counters"/> on any engine.</summary>
internal static class CounterStores
{
    /// <summary>An open store.</summary>
    public static StoreUnderTest<long, long> Of(Counters.IStore store) => new(store, KindOf(store));

    /// <summary>The parts of a store that have its types.</summary>
    public static KindOfStore<long, long> KindOf(Counters.IStore store) => new(
        name => new CounterSession(
            store is Counters.ICommittingStore named ? named.StartSession(name) : store.StartSession()),
        store is IScanStore<Counters.Record> scans ? options => ScanAsync(scans, options) : null,
        store is IHistoryStore<Counters.Record> histories ? key => PastAsync(histories, key) : null);

    private static async IAsyncEnumerable<(long Key, long Value)> ScanAsync(
        IScanStore<Counters.Record> store, ScanOptions? options)
    {
        await foreach (Counters.Record record in store.ScanAsync(options, default))
            yield return (record.Key, record.Value);
    }

    private static async IAsyncEnumerable<RecordVersion<ReadResult<long>>> PastAsync(
        IHistoryStore<Counters.Record> store, long key)
    {
        await foreach (RecordVersion<Counters.Record> past in store.HistoryAsync(new UnmanagedKey<long>(key), default))
        {
            Counters.Record record = past.Record;
            yield return new(record.IsTombstone ? default : new(true, record.Value), past.Address, past.Version);
        }
    }
}
