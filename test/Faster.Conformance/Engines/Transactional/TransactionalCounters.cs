using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.Transactional;

/// <summary>The transactional engine with longs that are added to.</summary>
public sealed class TransactionalCounters : IScannedEngine<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes { get; } =
    [
        new EngineShape(Unlocked, Budget, Spills: false),
        new EngineShape(Locked, Budget, Spills: false),
    ];

    private const string Unlocked = "reads without locks", Locked = "reads that lock";

    private static ByteSize Budget => ByteSize.MiB(64);

    /// <summary>The options of a shape.</summary>
    public static TransactionalOptions OptionsOf(EngineShape shape) =>
        new() { MemoryBudget = shape.RecordMemory, ReadsLock = shape.Name == Locked };

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => Shapes;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        CounterStores.Of(await Counters.TransactionalStore.OpenAsync(null, OptionsOf(shape)));
}
