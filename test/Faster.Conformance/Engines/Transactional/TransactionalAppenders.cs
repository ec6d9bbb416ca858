using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.Transactional;

/// <summary>The transactional engine with bytes that are appended to.</summary>
public sealed class TransactionalAppenders : IEachDurableEngine<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavor<byte[], byte[]> Flavor => AppenderFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => TransactionalShapes.All;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => Shapes;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> DurableShapes => TransactionalShapes.Durable;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<byte[], byte[]>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        AppenderStores.Of(await Appenders.TransactionalStore.OpenAsync(
            TransactionalShapes.PathOf(shape, folder), TransactionalShapes.OptionsOf(shape)));
}
