using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Bytes that are appended to.</summary>
public sealed class CoherentAppenders : ICoherentKind<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavor<byte[], byte[]> Flavor => AppenderFlavor.Instance;

    static Task<FasterStoreUnderTest<byte[], byte[]>> ICoherentKind<byte[], byte[]>.OpenAsync(
        string folder, StoreOptions options) => OpenAsync(folder, options);

    internal static async Task<FasterStoreUnderTest<byte[], byte[]>> OpenAsync(string folder, StoreOptions options) =>
        FasterAppenders.Of(await Appenders.OpenAsync(folder, options));
}
