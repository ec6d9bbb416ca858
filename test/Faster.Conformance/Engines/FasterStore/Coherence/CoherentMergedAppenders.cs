using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Bytes that are appended to and merged.</summary>
public sealed class CoherentMergedAppenders : ICoherentKind<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavor<byte[], byte[]> Flavor => AppenderFlavor.Instance;

    /// <inheritdoc/>
    public static bool Expires => false;

    static Task<FasterStoreUnderTest<byte[], byte[]>> ICoherentKind<byte[], byte[]>.OpenAsync(
        string folder, StoreOptions options) => OpenAsync(folder, options);

    internal static async Task<FasterStoreUnderTest<byte[], byte[]>> OpenAsync(string folder, StoreOptions options) =>
        FasterMergedAppenders.Of(await MergedAppenders.OpenAsync(folder, options));
}
