using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.HotRing;

/// <summary>The HotRing engine with longs whose updates have an output.</summary>
public sealed class HotRingCellEngine : ICellEngine
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => HotRingCounters.Shapes;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        CellStores.Of(await Cells.HotRingStore.OpenAsync(HotRingCounters.OptionsOf(shape)));
}
