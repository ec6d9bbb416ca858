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

/// <summary>The same on the engine HotRing.</summary>
[Store(Engine = typeof(HotRingEngine))]
internal static partial class RingSums
{
    [InitialUpdater]
    private static void Start(long key, long amount, ref long total) => total = amount;

    [InPlaceUpdater]
    private static void Add(long key, long amount, ref long total) => total += amount;

    [CopyUpdater]
    private static void Copy(long key, long amount, long old, ref long total) => total = old + amount;
}

/// <summary>A store whose updates have an output.</summary>
[Store]
internal static partial class Tickets
{
    [InPlaceUpdater]
    private static void Draw(long key, ref long next, out long ticket) => ticket = next++;
}

/// <summary>A store without functions: no user code runs in its hits, which therefore have no guard.</summary>
[Store(Key = typeof(byte[]), Value = typeof(long))]
internal static partial class Plain;

/// <summary>A store without functions whose keys and values are larger than a word.</summary>
[Store(Key = typeof(System.Guid), Value = typeof(Pair))]
internal static partial class Pairs;

/// <summary>A value of two words, read and written under its record's latch.</summary>
internal record struct Pair(long Left, long Right);
