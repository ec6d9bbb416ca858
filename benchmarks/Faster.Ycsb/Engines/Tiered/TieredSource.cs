using Faster.Workload.Engines;
using Faster.Workload;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Engines.Tiered;

/// <summary>Opens stores on the engine F2, over a folder.</summary>
/// <param name="name">The name in results.</param>
/// <param name="batches">Whether they are used by batches.</param>
internal sealed class TieredSource(string name, bool batches = false) : IEngineSource
{
    private readonly bool _merges = name == StoreNames.TieredMerging;

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) => shape switch
    {
        { MemoryBytes: null } => "it is for data larger than memory: --memory",
        { ValueBytes: not 100 } when _merges => "its values are of 100 bytes here",
        { ValueBytes: not (8 or 100) } => "its values are of 8 or 100 bytes here",
        _ => null,
    };

    /// <inheritdoc/>
    public Task<IEngine> OpenAsync(string folder, EngineShape shape)
    {
        TieredOptions options = ValueOptions.TieredOf(shape);
        int length = batches ? ValueOptions.MaxPending : 1;
        if (_merges)
            return MergingValues100.OpenEngineAsync(folder, options, length);
        return shape.ValueBytes == sizeof(long)
            ? Values8.OpenEngineAsync(folder, options, length)
            : Values100.OpenEngineAsync(folder, options, length);
    }

    /// <summary>The bytes of records and indexes in memory.</summary>
    public static long MemoryOf(TieredStatistics statistics) =>
        statistics.HotBytesInMemory + statistics.HotIndexBytes + (statistics.ColdChunks * sizeof(long));
}
