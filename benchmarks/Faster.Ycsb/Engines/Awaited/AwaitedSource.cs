using Faster.Workload;
using Faster.Workload.Engines;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Engines.Awaited;

/// <summary>Opens stores of ours over a folder whose writes are waited for.</summary>
/// <param name="name">The name in results.</param>
/// <param name="isTiered">Whether the engine is F2, not FASTER.</param>
internal sealed class AwaitedSource(string name, bool isTiered) : IEngineSource
{
    /// <summary>All of them.</summary>
    public static IReadOnlyList<IEngineSource> All { get; } =
        [new AwaitedSource(StoreNames.Single, isTiered: false), new AwaitedSource(StoreNames.Tiered, isTiered: true)];

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) => shape.ValueBytes == DurableSettings.ValueBytes
        ? null
        : $"its values are of {DurableSettings.ValueBytes} bytes here";

    /// <inheritdoc/>
    public async Task<IEngine> OpenAsync(string folder, EngineShape shape) => isTiered
        ? await Values100.OpenAwaitedAsync(folder, ValueOptions.TieredOf(shape))
        : await Values100.OpenAwaitedAsync(folder, ValueOptions.Of(shape));
}
