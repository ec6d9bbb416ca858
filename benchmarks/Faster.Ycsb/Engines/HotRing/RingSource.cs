using Faster.Workload;

namespace Faster.Ycsb.Engines.HotRing;

/// <summary>Opens stores on the engine HotRing.</summary>
/// <param name="name">The name in results.</param>
/// <param name="strategy">How heads follow the hot keys.</param>
/// <param name="batches">Whether they are used by batches.</param>
internal sealed class RingSource(string name, HotspotStrategy strategy, bool batches = false) : IEngineSource
{
    private const long BytesPerKey = 64;

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) => shape switch
    {
        { MemoryBytes: not null } => "it is measured with memory for everything",
        { ValueBytes: not sizeof(long) } => "its values are of 8 bytes here",
        _ => null,
    };

    /// <inheritdoc/>
    public async Task<IEngine> OpenAsync(string folder, EngineShape shape) => new RingEngine(
        await RingNumbers.OpenAsync(OptionsFor(shape.Keys, shape.KeysPerBucket, strategy)), batches);

    /// <summary>The options of a store in memory.</summary>
    /// <param name="keys">How many keys it will hold.</param>
    /// <param name="keysPerBucket">How many of them a ring has; null for an index that grows by itself.</param>
    /// <param name="strategy">How heads follow the hot keys.</param>
    public static HotRingOptions OptionsFor(long keys, int? keysPerBucket, HotspotStrategy strategy)
    {
        var options = new HotRingOptions
        {
            MemoryBudget = new ByteSize((keys * BytesPerKey) + (64L << 20)), ExpectedKeys = keys, Strategy = strategy,
        };
        return keysPerBucket is { } ratio
            ? options with { Buckets = Math.Max(1, keys / ratio), MaxAccesses = double.PositiveInfinity }
            : options;
    }
}
