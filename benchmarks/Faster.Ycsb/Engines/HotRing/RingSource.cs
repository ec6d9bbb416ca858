using Faster.Workload.Engines;
using Faster.Workload;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Engines.HotRing;

/// <summary>Opens stores on the engine HotRing.</summary>
/// <param name="name">The name in results.</param>
/// <param name="strategy">How heads follow the hot keys.</param>
/// <param name="batches">Whether they are used by batches.</param>
internal sealed class RingSource(string name, HotspotStrategy strategy, bool batches = false) : IEngineSource
{
    // Beside the value; what updates by copy keep until no session can read it is in the constant part.
    private const long BytesPerKey = 56;

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) => shape switch
    {
        { MemoryBytes: not null } => "it is measured with memory for everything",
        { ValueBytes: not (8 or 100) } => "its values are of 8 or 100 bytes here",
        _ => null,
    };

    /// <inheritdoc/>
    public async Task<IEngine> OpenAsync(string folder, EngineShape shape)
    {
        HotRingOptions options = OptionsFor(shape.Keys, shape.KeysPerBucket, strategy, shape.ValueBytes);
        if (shape.HotspotInterval is { } interval)
            options = options with { HotspotInterval = interval };
        return shape.ValueBytes == sizeof(long)
            ? new RingEngine(await Numbers.HotRingStore.OpenAsync(options), batches)
            : await Values100.OpenEngineAsync(options, batches ? StoreNames.BatchLength : 1);
    }

    /// <summary>The options of a store in memory.</summary>
    /// <param name="keys">How many keys it will hold.</param>
    /// <param name="keysPerBucket">How many of them a ring has; null for an index that grows by itself.</param>
    /// <param name="strategy">How heads follow the hot keys.</param>
    /// <param name="valueBytes">The size of each value.</param>
    public static HotRingOptions OptionsFor(
        long keys, int? keysPerBucket, HotspotStrategy strategy, int valueBytes = sizeof(long))
    {
        var options = new HotRingOptions
        {
            MemoryBudget = new ByteSize((keys * (BytesPerKey + valueBytes)) + (64L << 20)),
            ExpectedKeys = keys,
            Strategy = strategy,
        };
        return keysPerBucket is { } ratio
            ? options with { Buckets = Math.Max(1, keys / ratio), MaxAccesses = double.PositiveInfinity }
            : options;
    }
}
