using Faster.Conformance.Contract;

namespace Faster.Conformance.Models;

/// <summary>The dictionary as an engine of cells.</summary>
public sealed class DictionaryCells : ICellEngine
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => DictionaryShapes.All;

    /// <inheritdoc/>
    public static ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) => new(new DictionaryCellStore(shape));
}

/// <summary>The dictionary of cells with the output of an update that another one came before.</summary>
internal sealed class LosingCells : ICellEngine
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => DictionaryShapes.All;

    /// <inheritdoc/>
    public static ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) => new(new Store(shape));

    private sealed class Store(EngineShape shape) : DictionaryCellStore(shape)
    {
        protected override RmwResult<long> Update(long key, CellInput input)
        {
            bool exists = Values.TryGetValue(key, out long old);
            long output;
            _ = exists ? input.Update(old, out output) : input.Start(out output);
            Thread.Yield();
            return base.Update(key, input) with { Value = output };
        }
    }
}

/// <summary>The dictionary of cells that drops the output of an update which went pending.</summary>
internal sealed class ForgetfulCells : ICellEngine
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => DictionaryShapes.All;

    /// <inheritdoc/>
    public static ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) => new(new Store(shape));

    private sealed class Store(EngineShape shape) : DictionaryCellStore(shape)
    {
        protected override RmwResult<long> UpdateLate(long key, CellInput input) =>
            base.UpdateLate(key, input) with { Value = 0 };
    }
}
