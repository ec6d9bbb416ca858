using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Longs that are added to and merged.</summary>
public sealed class CoherentMergedCounters : ICoherentKind<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static bool Expires => false;

    static async Task<FasterStoreUnderTest<long, long>> ICoherentKind<long, long>.OpenAsync(
        string folder, StoreOptions options) =>
        FasterMergedCounters.Of(await MergedCounters.OpenAsync(folder, options));
}
