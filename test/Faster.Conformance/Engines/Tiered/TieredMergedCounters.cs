using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.Tiered;

/// <summary>The engine F2 with longs that are added to and merged.</summary>
public sealed class TieredMergedCounters : IEachDurableEngine<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => TieredShapes.Lasting;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => Shapes;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> DurableShapes => TieredShapes.Durable;

    /// <inheritdoc/>
    public static bool RmwReadsDisk => false;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        MergedCounterStores.Of(await MergedCounters.TieredStore.OpenAsync(
            TieredShapes.PathOf(shape, folder), TieredShapes.OptionsOf(shape, expectedKeys)));
}
