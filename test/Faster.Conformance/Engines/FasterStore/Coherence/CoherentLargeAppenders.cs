using Faster.Conformance.Contract;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Bytes that are appended to, some of them larger than a page.</summary>
public sealed class CoherentLargeAppenders : ICoherentKind<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavor<byte[], byte[]> Flavor => AppenderFlavor.Instance;

    /// <inheritdoc/>
    public static byte[] Enlarged(byte[] value) =>
        [.. Enumerable.Repeat(value, 1 + (9_000 / value.Length)).SelectMany(static bytes => bytes)];

    static Task<FasterStoreUnderTest<byte[], byte[]>> ICoherentKind<byte[], byte[]>.OpenAsync(
        string folder, StoreOptions options) => CoherentAppenders.OpenAsync(folder, options);
}
