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
    /// <summary>Those whose writes are durable when they are acknowledged.</summary>
    public static IReadOnlyList<IEngineSource> Durable { get; } =
    [
        new AwaitedSource(StoreNames.SingleDurable, isTiered: false, Durability.EachOperation),
        new AwaitedSource(StoreNames.TieredDurable, isTiered: true, Durability.EachOperation),
    ];

    /// <summary>All of them.</summary>
    public static IReadOnlyList<IEngineSource> All { get; } =
    [
        .. Durable,
        new AwaitedSource(StoreNames.Single, isTiered: false, Durability.Commits),
        new AwaitedSource(StoreNames.Tiered, isTiered: true, Durability.Commits),
    ];

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) => shape.ValueBytes == DurableSettings.ValueBytes
        ? null
        : $"its values are of {DurableSettings.ValueBytes} bytes here";

    /// <inheritdoc/>
    public async Task<IEngine> OpenAsync(string folder, EngineShape shape)
    {
        if (isTiered)
        {
            TieredOptions tiered = ValueOptions.TieredOf(shape);
            return await Values100.OpenAwaitedAsync(
                folder, tiered with { Durability = durability, MemoryBudget = WithLogs(tiered.MemoryBudget, shape) });
        }

        StoreOptions options = ValueOptions.Of(shape);
        return await Values100.OpenAwaitedAsync(
            folder, options with { Durability = durability, MemoryBudget = WithLogs(options.MemoryBudget, shape) });
    }

    // The logs take a quarter of a budget: where everything is to fit, they get theirs besides.
    private ByteSize WithLogs(ByteSize budget, EngineShape shape) =>
        durability == Durability.EachOperation && shape.MemoryBytes is null
            ? new ByteSize(budget.Bytes / 3 * 4)
            : budget;
}
