using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Bytes that are appended to.</summary>
public sealed class CoherentAppenders : ICoherentKind<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavour<byte[], byte[]> Flavour => AppenderFlavour.Instance;

    static Task<CoherentStore<byte[], byte[]>> ICoherentKind<byte[], byte[]>.OpenAsync(
        string folder, StoreOptions options) => OpenAsync(folder, options);

    internal static async Task<CoherentStore<byte[], byte[]>> OpenAsync(string folder, StoreOptions options)
    {
        Appenders.Store store = await Appenders.OpenAsync(folder, options);
        return new(FasterAppenders.Of(store))
        {
            Read = () => store.Statistics,
            CompactAsync = store.CompactAsync,
            TruncateAsync = store.TruncateAsync,
            CommitAsync = (kind, withIndex) => store.CommitAsync(kind, withIndex),
            ScanAsync = () => ScanAsync(store),
        };
    }

    private static async IAsyncEnumerable<(byte[] Key, byte[] Value)> ScanAsync(Appenders.Store store)
    {
        await foreach (Appenders.Record record in store.ScanAsync()) yield return (record.Key, record.Value!);
    }
}
