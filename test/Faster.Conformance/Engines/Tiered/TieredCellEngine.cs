using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.Tiered;

/// <summary>The engine F2 with longs whose updates have an output.</summary>
public sealed class TieredCellEngine : ICellEngine
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => TieredShapes.All;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        CellStores.Of(await Cells.TieredStore.OpenAsync(
            TieredShapes.PathOf(shape, folder), TieredShapes.OptionsOf(shape, expectedKeys)));
}
