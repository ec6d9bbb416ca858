using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>The FASTER store with longs that are added to and merged.</summary>
public sealed class FasterMergedCounters : IEachDurableEngine<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => FasterShapes.Lasting;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => FasterShapes.LastingLogs;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> DurableShapes => FasterShapes.Durable;

    /// <inheritdoc/>
    public static bool RmwReadsDisk => false;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        Of(await MergedCounters.OpenAsync(
            FasterShapes.PathOf(shape, folder), FasterShapes.OptionsOf(shape, expectedKeys)));

    /// <summary>The adapter of an open store.</summary>
    internal static FasterStoreUnderTest<long, long> Of(MergedCounters.Store store) =>
        new(store, MergedCounterStores.KindOf(store));
}
