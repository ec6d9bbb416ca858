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

    /// <summary>Copies that were found for the first time since they were written.</summary>
    [FieldOffset(80)] public long FirstHits;

    /// <summary>Records that had to be read from disk, and had been in memory a little while ago.</summary>
    [FieldOffset(88)] public long NearMisses;

    /// <summary>Records that were written anew, and had been in memory a little while ago.</summary>
    [FieldOffset(96)] public long NearAppends;

    /// <summary>How many appends count as one miss: they are a fraction of the work.</summary>
    public const int AppendsForEachMiss = 8;

    /// <summary>What more memory for the log would have spared, in misses.</summary>
    public long AllNear => Volatile.Read(ref NearMisses) + (Volatile.Read(ref NearAppends) / AppendsForEachMiss);
}
