namespace Faster.MemoryProbe;

/// <summary>As <see cref="Sums"/>, in two tiers.</summary>
[Store(Engine = typeof(TieredEngine))]
internal static partial class TieredSums
{
    [InitialUpdater]
    private static void Start(long key, long input, ref long value) => value = input;

    [InPlaceUpdater]
    private static void Add(long key, long input, ref long value) => value += input;

    [CopyUpdater]
    private static void Copy(long key, long input, long old, ref long value) => value = old + input;
}
