using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.Latched;

/// <summary>The latched engine with longs that are added to.</summary>
public sealed class LatchedCounters : IEngineUnderTest<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes { get; } =
        [new EngineShape("under one latch", new LatchedOptions().MemoryBudget, Spills: false)];

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        CounterStores.Of(await Counters.LatchedStore.OpenAsync());
}
