namespace Faster.MemoryProbe;

/// <summary>A store of 8-byte keys and values.</summary>
[Store]
internal static partial class Sums
{
    [InitialUpdater]
    private static void Start(long key, long input, ref long value) => value = input;

    [InPlaceUpdater]
    private static void Add(long key, long input, ref long value) => value += input;

    [CopyUpdater]
    private static void Copy(long key, long input, long old, ref long value) => value = old + input;
}
