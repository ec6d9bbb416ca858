using Faster.Workload.Engines;
using Faster.Workload;

namespace Faster.Ycsb.Engines;

/// <summary>Makes concurrent dictionaries.</summary>
internal sealed class DictionarySource : IEngineSource
{
    /// <inheritdoc/>
    public string Name => "dictionary";

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) => shape switch
    {
        { MemoryBytes: not null } => "it can't keep to a memory budget",
        { ValueBytes: not sizeof(long) } => "its values are of 8 bytes here",
        _ => null,
    };

    /// <inheritdoc/>
    public Task<IEngine> OpenAsync(string folder, EngineShape shape) =>
        Task.FromResult<IEngine>(new DictionaryEngine((int)Math.Min(shape.Keys, Array.MaxLength)));
}
