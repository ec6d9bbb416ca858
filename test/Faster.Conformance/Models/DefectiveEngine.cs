using Faster.Conformance.Contract;

namespace Faster.Conformance.Models;

/// <summary>The dictionary as an engine with a defect.</summary>
/// <typeparam name="TDefect">The defect.</typeparam>
internal sealed class DefectiveEngine<TDefect> : IEngineUnderTest<long, long>
    where TDefect : IDefect
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => DictionaryShapes.All;

    /// <inheritdoc/>
    public static ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        new(TDefect.New(Flavor, DictionaryShapes.PendingShare(shape)));
}
