using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.Tiered;

/// <summary>The engine F2 with longs that are added to.</summary>
public sealed class TieredCounters : IEachDurableEngine<long, long>, IHistoryEngine<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => TieredShapes.All;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => Shapes;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> DurableShapes => TieredShapes.Durable;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        CounterStores.Of(await Counters.TieredStore.OpenAsync(
            TieredShapes.PathOf(shape, folder), TieredShapes.OptionsOf(shape, expectedKeys)));
}
