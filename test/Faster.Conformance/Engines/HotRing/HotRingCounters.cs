using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.HotRing;

/// <summary>The HotRing engine with longs that are added to.</summary>
public sealed class HotRingCounters : IScannedEngine<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes { get; } =
    [
        new EngineShape(Sampling, Budget, Spills: false),
        new EngineShape(Moving, Budget, Spills: false),
        new EngineShape(Rehashing, Budget, Spills: false),
    ];

    private const string Sampling = "sampling", Moving = "random movement", Rehashing = "rehashing";

    private static ByteSize Budget => ByteSize.MiB(64);

    /// <summary>The options of a shape.</summary>
    public static HotRingOptions OptionsOf(EngineShape shape) => new()
    {
        MemoryBudget = shape.RecordMemory, HotspotInterval = shape.Name == Rehashing ? 1 : 2, Buckets = 16,
        Strategy = shape.Name == Moving ? HotspotStrategy.RandomMovement : HotspotStrategy.StatisticalSampling,
        MaxAccesses = shape.Name == Rehashing ? 2 : double.PositiveInfinity,
    };

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => Shapes;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        CounterStores.Of(await Counters.HotRingStore.OpenAsync(OptionsOf(shape)));
}
