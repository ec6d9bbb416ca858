namespace Faster.Ycsb.Engines.HotRing;

/// <summary>The store of <see cref="Faster.Engines.Numbers"/> on the engine HotRing.</summary>
[Store(Engine = typeof(HotRingEngine))]
internal static partial class RingNumbers
{
    [InitialUpdater]
    private static void Start(long key, long input, ref long value) => value = input;

    [InPlaceUpdater]
    private static void Add(long key, long input, ref long value) => value += input;

    [CopyUpdater]
    private static void Copy(long key, long input, long old, ref long value) => value = old + input;
}
