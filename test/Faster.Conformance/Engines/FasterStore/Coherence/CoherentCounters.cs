using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Longs that are added to.</summary>
public sealed class CoherentCounters : ICoherentKind<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    static async Task<FasterStoreUnderTest<long, long>> ICoherentKind<long, long>.OpenAsync(
        string folder, StoreOptions options) =>
        FasterCounters.Of(await Counters.OpenAsync(folder, options));
}
