using Faster;

namespace WebApi;

/// <summary>Named counters.</summary>
[Store]
internal static partial class Counters
{
    [InPlaceUpdater]
    private static void Add(string name, long amount, ref long total, out long now) => now = total += amount;
}
