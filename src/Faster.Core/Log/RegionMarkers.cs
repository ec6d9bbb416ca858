using System.Runtime.InteropServices;

namespace Faster.Log;

/// <summary>
/// What every operation reads of an allocator: where addresses lie in memory, and the markers that decide how a record
/// may be read and updated (paper 000 §6.1–6.3, Tables 1 and 2).
/// </summary>
/// <remarks>
/// Invariant: Begin ≤ Head ≤ SafeReadOnly ≤ ReadOnly ≤ Tail. Each marker only grows. Kept on cache lines of its own:
/// it is read by every operation and written at page turns.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = 192)]
internal unsafe struct RegionMarkers
{
    /// <summary>Logical address 0 in memory: the record at address a is at Base + (a &amp; Mask).</summary>
    [FieldOffset(64)] public byte* Base;

    /// <summary>The bits of an address that tell its place in the circular buffer.</summary>
    [FieldOffset(72)] public long Mask;

    /// <summary>The lowest valid address.</summary>
    [FieldOffset(80)] public long Begin;

    /// <summary>The lowest address that is in memory.</summary>
    [FieldOffset(88)] public long Head;

    /// <summary>Below it nobody updates in place any more; between it and ReadOnly is the fuzzy region.</summary>
    [FieldOffset(96)] public long SafeReadOnly;

    /// <summary>From here on records are updated in place.</summary>
    [FieldOffset(104)] public long ReadOnly;
}
