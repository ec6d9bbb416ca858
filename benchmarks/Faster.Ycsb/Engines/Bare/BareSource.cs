using Faster.Workload;

namespace Faster.Ycsb.Engines.Bare;

/// <summary>Makes bare tables.</summary>
/// <param name="batches">Whether they are used by batches.</param>
internal sealed class BareSource(bool batches) : IEngineSource
{
    /// <summary>The name of the yardstick of single calls.</summary>
    public const string Single = "bare";

    /// <summary>The name of the yardstick of batches.</summary>
    public const string Batch = "bare-batch";

    /// <inheritdoc/>
    public string Name => batches ? Batch : Single;

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) => shape switch
    {
        { MemoryBytes: not null } => "it can't keep to a memory budget",
        { ValueBytes: not sizeof(long) } => "its values are of 8 bytes",
        _ => null,
    };

    /// <inheritdoc/>
    public Task<IEngine> OpenAsync(string folder, EngineShape shape) =>
        Task.FromResult<IEngine>(new BareEngine(new BareTable(shape.Keys), batches));
}
