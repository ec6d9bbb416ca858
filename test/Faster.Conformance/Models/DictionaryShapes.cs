using Faster.Conformance.Contract;

namespace Faster.Conformance.Models;

/// <summary>The dictionary as an engine, in two shapes: one at once, one with pending operations.</summary>
public sealed class DictionaryCounters : IEngineUnderTest<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => DictionaryShapes.All;

    /// <inheritdoc/>
    public static ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        new(new DictionaryStore<long, long>(Flavor, DictionaryShapes.PendingShare(shape)));
}

/// <summary>The dictionary as an engine of bytes.</summary>
public sealed class DictionaryAppenders : IEngineUnderTest<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavor<byte[], byte[]> Flavor => AppenderFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => DictionaryShapes.All;

    /// <inheritdoc/>
    public static ValueTask<IStoreUnderTest<byte[], byte[]>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        new(new DictionaryStore<byte[], byte[]>(Flavor, DictionaryShapes.PendingShare(shape)));
}

/// <summary>The shapes of the dictionary.</summary>
internal static class DictionaryShapes
{
    private static readonly EngineShape AtOnce = new("at once", ByteSize.MiB(64), Spills: false);
    private static readonly EngineShape OftenPending = new("often pending", ByteSize.KiB(256), Spills: true);

    /// <summary>All shapes.</summary>
    public static IReadOnlyList<EngineShape> All { get; } = [AtOnce, OftenPending];

    /// <summary>The part of a shape's operations that go pending.</summary>
    public static double PendingShare(EngineShape shape) => shape == OftenPending ? 0.4 : 0;
}
