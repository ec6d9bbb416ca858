namespace Faster.MemoryProbe.Overlap;

/// <summary>A store of counters on the engine HotRing.</summary>
[Store(Engine = typeof(HotRingEngine))]
internal static partial class RingSums
{
    [InPlaceUpdater]
    private static void Add(long key, long input, ref long value) => value += input;
}
