namespace Faster.MemoryProbe.Overlap;

/// <summary>A store of counters on the engine F2.</summary>
[Store(Engine = typeof(TieredEngine))]
internal static partial class TieredSums
{
    [InPlaceUpdater]
    private static void Add(long key, long input, ref long value) => value += input;
}
