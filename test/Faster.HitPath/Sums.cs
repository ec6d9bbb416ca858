namespace Faster.HitPath;

/// <summary>The store whose hit path is read: what a first program would write.</summary>
[Store]
internal static partial class Sums
{
    [InitialUpdater]
    private static void Start(long key, long amount, ref long total) => total = amount;

    [InPlaceUpdater]
    private static void Add(long key, long amount, ref long total) => total += amount;

    [CopyUpdater]
    private static void Copy(long key, long amount, long old, ref long total) => total = old + amount;
}
