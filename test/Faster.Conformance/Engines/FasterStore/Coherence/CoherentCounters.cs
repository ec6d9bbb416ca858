using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Longs that are added to.</summary>
public sealed class CoherentCounters : ICoherentKind<long, long>
{
    /// <inheritdoc/>
    public static Flavour<long, long> Flavour => CounterFlavour.Instance;

    static async Task<CoherentStore<long, long>> ICoherentKind<long, long>.OpenAsync(
        string folder, StoreOptions options)
    {
        Counters.Store store = await Counters.OpenAsync(folder, options);
        return new(FasterCounters.Of(store))
        {
            Read = () => store.Statistics,
            CompactAsync = store.CompactAsync,
            TruncateAsync = store.TruncateAsync,
            CommitAsync = (kind, withIndex) => store.CommitAsync(kind, withIndex),
            ScanAsync = () => ScanAsync(store),
        };
    }

    private static async IAsyncEnumerable<(long Key, long Value)> ScanAsync(Counters.Store store)
    {
        await foreach (Counters.Record record in store.ScanAsync()) yield return (record.Key, record.Value);
    }
}
