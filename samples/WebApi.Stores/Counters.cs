using Faster;

namespace WebApi.Stores;

/// <summary>Named counters.</summary>
[Store]
public static partial class Counters
{
    [InPlaceUpdater]
    private static void Add(string name, long amount, ref long total, out long now) => now = total += amount;
}
