using Faster;

namespace WebApi;

/// <summary>The requests of each client in the second of its last one.</summary>
[Store]
internal static partial class Limits
{
    [InPlaceUpdater]
    private static void Use(string client, long second, ref Window window, out int used)
    {
        if (window.Second != second) window = new Window { Second = second };
        used = (int)++window.Used;
    }

    /// <summary>A second, and what was used in it.</summary>
    internal struct Window
    {
        public long Second;
        public long Used;
    }
}
