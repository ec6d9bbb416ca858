namespace Faster.Benchmarks.Scopes;

/// <summary>Counts words, on each engine.</summary>
[Store(Also = [typeof(TieredEngine), typeof(HotRingEngine)])]
public static partial class Words
{
    [InPlaceUpdater]
    private static void Add(long word, long amount, ref long total) => total += amount;
}
