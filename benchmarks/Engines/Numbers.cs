namespace Faster.Workload.Engines;

/// <summary>A store of sums: the default concurrency, so updates run under the record's latch.</summary>
[Store(Also = [typeof(HotRingEngine)])]
internal static partial class Numbers
{
    [InitialUpdater]
    private static void Start(long key, long input, ref long value) => value = input;

    [InPlaceUpdater]
    private static void Add(long key, long input, ref long value) => value += input;

    [CopyUpdater]
    private static void Copy(long key, long input, long old, ref long value) => value = old + input;
}
