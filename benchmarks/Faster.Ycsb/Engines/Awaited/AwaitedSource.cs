using Faster.Workload;
using Faster.Workload.Engines;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Engines.Awaited;

/// <summary>Opens stores of ours over a folder whose writes are waited for.</summary>
/// <param name="name">The name in results.</param>
/// <param name="isTiered">Whether the engine is F2, not FASTER.</param>
/// <param name="durability">When what is acknowledged is durable.</param>
internal sealed class AwaitedSource(string name, bool isTiered, Durability durability) : IEngineSource
{
    /// <summary>Those that are durable with the next commit: they wait for nothing.</summary>
    public static IReadOnlyList<IEngineSource> All { get; } =
    [
        new AwaitedSource(StoreNames.Single, isTiered: false, Durability.Commits),
        new AwaitedSource(StoreNames.Tiered, isTiered: true, Durability.Commits),
    ];

    /// <summary>Those whose every operation is durable.</summary>
    public static IReadOnlyList<IEngineSource> Durable { get; } =
    [
        new AwaitedSource(StoreNames.SingleDurable, isTiered: false, Durability.EachOperation),
        new AwaitedSource(StoreNames.TieredDurable, isTiered: true, Durability.EachOperation),
    ];

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) => shape.ValueBytes == DurableSettings.ValueBytes
        ? null
        : $"its values are of {DurableSettings.ValueBytes} bytes here";

    /// <inheritdoc/>
    public async Task<IEngine> OpenAsync(string folder, EngineShape shape) => isTiered
        ? await Values100.OpenAwaitedAsync(folder, ValueOptions.TieredOf(shape) with { Durability = durability })
        : await Values100.OpenAwaitedAsync(folder, ValueOptions.Of(shape) with { Durability = durability });
}
