using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>The FASTER store with longs whose updates have an output.</summary>
public sealed class FasterCells : ICellEngine
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => FasterShapes.All;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        CellStores.Of(await Cells.OpenAsync(
            FasterShapes.PathOf(shape, folder), FasterShapes.OptionsOf(shape, expectedKeys)));
}
