using System.Runtime.InteropServices;

namespace Faster.Caching;

/// <summary>Counts the hits and misses of one session in the read cache.</summary>
/// <remarks>On cache lines of its own: written only by its owner, and read by any thread at any time.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 192)]
internal sealed class CacheCounters
{
    /// <summary>The number of records found in the cache.</summary>
    [FieldOffset(64)] public long Hits;

    /// <summary>The number of records read from disk.</summary>
    [FieldOffset(72)] public long Misses;

    /// <summary>The number of copies found for the first time since they were written.</summary>
    [FieldOffset(80)] public long FirstHits;

    /// <summary>The number of records read from disk that had recently been in memory.</summary>
    [FieldOffset(88)] public long NearMisses;

    /// <summary>The number of newly written records whose previous version had recently been in memory.</summary>
    [FieldOffset(96)] public long NearAppends;

    /// <summary>The number of appends that count as one miss: an append is a fraction of the work.</summary>
    public const int AppendsForEachMiss = 8;

    /// <summary>Begins to count anew.</summary>
    public void Reset() => (Hits, Misses, FirstHits, NearMisses, NearAppends) = (0, 0, 0, 0, 0);

    /// <summary>The misses that more memory for the log would have avoided, with appends converted to misses.</summary>
    public long AllNear => Volatile.Read(ref NearMisses) + (Volatile.Read(ref NearAppends) / AppendsForEachMiss);
}
