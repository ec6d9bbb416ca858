using Faster.Workload;

namespace Faster.Ycsb.Engines.Chaining;

/// <summary>Makes chaining tables.</summary>
internal sealed class ChainingSource : IEngineSource
{
    private const int DefaultKeysPerBucket = 4; // as HotRing has it

    /// <inheritdoc/>
    public string Name => "chaining";

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) => shape switch
    {
        { MemoryBytes: not null } => "it can't keep to a memory budget",
        { ValueBytes: not sizeof(long) } => "its values are of 8 bytes",
        _ => null,
    };

    /// <inheritdoc/>
    public Task<IEngine> OpenAsync(string folder, EngineShape shape) => Task.FromResult<IEngine>(new ChainingEngine(
        new ChainingTable(shape.Keys, shape.Keys / (shape.KeysPerBucket ?? DefaultKeysPerBucket))));
}
