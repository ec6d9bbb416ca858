using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>The FASTER store with bytes that are appended to.</summary>
public sealed class FasterAppenders : IEachDurableEngine<byte[], byte[]>, IHistoryEngine<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavor<byte[], byte[]> Flavor => AppenderFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => FasterShapes.All;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => FasterShapes.Logs;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> DurableShapes => FasterShapes.Durable;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<byte[], byte[]>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        Of(await Appenders.OpenAsync(
            FasterShapes.PathOf(shape, folder), FasterShapes.OptionsOf(shape, expectedKeys)));

    /// <summary>The adapter of an open store.</summary>
    internal static FasterStoreUnderTest<byte[], byte[]> Of(Appenders.Store store) =>
        new(store, AppenderStores.KindOf(store));
}
