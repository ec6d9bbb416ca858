using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.Transactional;

/// <summary>The transactional engine with longs whose updates have an output.</summary>
public sealed class TransactionalCellEngine : ICellEngine
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => TransactionalShapes.All;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        CellStores.Of(await Cells.TransactionalStore.OpenAsync(
            TransactionalShapes.PathOf(shape, folder), TransactionalShapes.OptionsOf(shape)));
}
