using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.Tiered;

/// <summary>The engine F2 with bytes that are appended to and merged.</summary>
public sealed class TieredMergedAppenders : IEachDurableEngine<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavor<byte[], byte[]> Flavor => AppenderFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => TieredShapes.Lasting;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => Shapes;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> DurableShapes => TieredShapes.Durable;

    /// <inheritdoc/>
    public static bool RmwReadsDisk => false;

    /// <inheritdoc/>
    public static int MaxInputBytes => 2000;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<byte[], byte[]>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        MergedAppenderStores.Of(await MergedAppenders.TieredStore.OpenAsync(
            TieredShapes.PathOf(shape, folder), TieredShapes.OptionsOf(shape, expectedKeys)));
}
