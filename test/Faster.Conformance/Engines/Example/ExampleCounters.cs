using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;
using Faster.Tests.Engines.Example;

namespace Faster.Conformance.Engines.Example;

/// <summary>The example of an engine, whose sources are in Faster.Core.Tests, with longs that are added to.</summary>
public sealed class ExampleCounters : IScannedEngine<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes { get; } =
        [new EngineShape("in order", new ExampleOptions().MemoryBudget, Spills: false)];

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => Shapes;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        CounterStores.Of(await Counters.ExampleStore.OpenAsync());
}
