using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>An engine, in the shapes whose every operation is durable.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public sealed class EachDurable<TEngine, TKey, TValue> : IEngineUnderTest<TKey, TValue>
    where TEngine : IEachDurableEngine<TKey, TValue>
    where TKey : notnull
{
    /// <inheritdoc/>
    public static Flavor<TKey, TValue> Flavor => TEngine.Flavor;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes { get; } =
        [.. TEngine.DurableShapes.Where(static shape => shape.IsEachDurable)];

    /// <inheritdoc/>
    public static bool RmwReadsDisk => TEngine.RmwReadsDisk;

    /// <inheritdoc/>
    public static int MaxInputBytes => TEngine.MaxInputBytes;

    /// <inheritdoc/>
    public static ValueTask<IStoreUnderTest<TKey, TValue>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) => TEngine.OpenAsync(shape, folder, expectedKeys);
}
