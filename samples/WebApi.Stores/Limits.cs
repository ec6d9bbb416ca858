using Faster;

namespace WebApi.Stores;

/// <summary>The requests of each client in the second of its last one.</summary>
[Store]
public static partial class Limits
{
    [InPlaceUpdater]
    private static void Use(string client, long second, ref (long Second, long Requests) last, out long requests)
    {
        if (last.Second != second) last = (second, 0);
        requests = ++last.Requests;
    }
}
