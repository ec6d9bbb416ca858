using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>The FASTER store with bytes that are appended to and merged.</summary>
public sealed class FasterMergedAppenders : IEachDurableEngine<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavor<byte[], byte[]> Flavor => AppenderFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => FasterShapes.Lasting;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => FasterShapes.LastingLogs;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> DurableShapes => FasterShapes.Durable;

    /// <inheritdoc/>
    public static bool RmwReadsDisk => false;

    /// <inheritdoc/>
    public static int MaxInputBytes => 2000;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<byte[], byte[]>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        Of(await MergedAppenders.OpenAsync(
            FasterShapes.PathOf(shape, folder), FasterShapes.OptionsOf(shape, expectedKeys)));

    /// <summary>The adapter of an open store.</summary>
    internal static FasterStoreUnderTest<byte[], byte[]> Of(MergedAppenders.Store store) =>
        new(store, MergedAppenderStores.KindOf(store));
}
