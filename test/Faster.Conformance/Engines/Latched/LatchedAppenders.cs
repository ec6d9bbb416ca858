using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.Latched;

/// <summary>The latched engine with bytes that are appended to.</summary>
public sealed class LatchedAppenders : IEngineUnderTest<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavor<byte[], byte[]> Flavor => AppenderFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => LatchedCounters.Shapes;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<byte[], byte[]>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        AppenderStores.Of(await Appenders.LatchedStore.OpenAsync());
}
