using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.Tiered;

/// <summary>The engine F2 with bytes that are appended to.</summary>
public sealed class TieredAppenders : IEachDurableEngine<byte[], byte[]>, IHistoryEngine<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavor<byte[], byte[]> Flavor => AppenderFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => TieredShapes.All;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => Shapes;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> DurableShapes => TieredShapes.Durable;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<byte[], byte[]>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        AppenderStores.Of(await Appenders.TieredStore.OpenAsync(
            TieredShapes.PathOf(shape, folder), TieredShapes.OptionsOf(shape, expectedKeys)));
}
