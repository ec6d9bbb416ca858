using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.Latched;

/// <summary>The latched engine with longs whose updates have an output.</summary>
public sealed class LatchedCellEngine : ICellEngine
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => LatchedCounters.Shapes;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        CellStores.Of(await Cells.LatchedStore.OpenAsync());
}
