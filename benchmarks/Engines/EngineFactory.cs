using Faster.Workload;

namespace Faster.Engines;

/// <summary>Opens engines.</summary>
internal static class EngineFactory
{
    /// <summary>Opens an empty engine with room for all keys in memory.</summary>
    public static async Task<IEngine> OpenAsync(EngineKind kind, int keys) => kind switch
    {
        EngineKind.Store => await StoreEngine.OpenAsync(keys, batches: false),
        EngineKind.Batch => await StoreEngine.OpenAsync(keys, batches: true),
        EngineKind.Dictionary => new DictionaryEngine(keys),
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "No such engine."),
    };
}
