using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Longs that are added to and merged.</summary>
public sealed class CoherentMergedCounters : ICoherentKind<long, long>
{
    /// <inheritdoc/>
    public static Flavour<long, long> Flavour => CounterFlavour.Instance;

    /// <inheritdoc/>
    public static bool Expires => false;

    static async Task<CoherentStore<long, long>> ICoherentKind<long, long>.OpenAsync(
        string folder, StoreOptions options)
    {
        MergedCounters.Store store = await MergedCounters.OpenAsync(folder, options);
        return new(FasterMergedCounters.Of(store))
        {
            Read = () => store.Statistics,
            CompactAsync = store.CompactAsync,
            TruncateAsync = store.TruncateAsync,
            CommitAsync = (kind, withIndex) => store.CommitAsync(kind, withIndex),
            ScanAsync = () => ScanAsync(store),
        };
    }

    private static async IAsyncEnumerable<(long Key, long Value)> ScanAsync(MergedCounters.Store store)
    {
        await foreach (MergedCounters.Record record in store.ScanAsync()) yield return (record.Key, record.Value);
    }
}
