using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Bytes that are appended to and merged.</summary>
public sealed class CoherentMergedAppenders : ICoherentKind<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavour<byte[], byte[]> Flavour => AppenderFlavour.Instance;

    /// <inheritdoc/>
    public static bool Expires => false;

    static Task<CoherentStore<byte[], byte[]>> ICoherentKind<byte[], byte[]>.OpenAsync(
        string folder, StoreOptions options) => OpenAsync(folder, options);

    internal static async Task<CoherentStore<byte[], byte[]>> OpenAsync(string folder, StoreOptions options)
    {
        MergedAppenders.Store store = await MergedAppenders.OpenAsync(folder, options);
        return new(FasterMergedAppenders.Of(store))
        {
            Read = () => store.Statistics,
            CompactAsync = store.CompactAsync,
            TruncateAsync = store.TruncateAsync,
            CommitAsync = (kind, withIndex) => store.CommitAsync(kind, withIndex),
            ScanAsync = () => ScanAsync(store),
        };
    }

    private static async IAsyncEnumerable<(byte[] Key, byte[] Value)> ScanAsync(MergedAppenders.Store store)
    {
        await foreach (MergedAppenders.Record record in store.ScanAsync()) yield return (record.Key, record.Value!);
    }
}
