using System.Runtime.InteropServices;

namespace Faster.Caching;

/// <summary>How often one session has found a record in the read cache, or has not.</summary>
/// <remarks>On cache lines of its own: written by its owner alone, and read by anybody at any time.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 192)]
internal sealed class CacheTally
{
    /// <summary>Records that were found in the cache.</summary>
    [FieldOffset(64)] public long Hits;

    /// <summary>Records that had to be read from disk.</summary>
    [FieldOffset(72)] public long Misses;
}
