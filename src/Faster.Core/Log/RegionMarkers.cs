using System.Runtime.InteropServices;

namespace Faster.Log;

/// <summary>
/// What every operation reads of an allocator: the mapping from addresses to memory, and the markers that decide how a
/// record may be read and updated (paper 000 §6.1–6.3, Tables 1 and 2).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Begin ≤ Head ≤ SafeReadOnly ≤ ReadOnly ≤ Tail. The append-only log, which updates nothing in place, has the
/// highest address for SafeReadOnly and ReadOnly.</item>
/// <item>No marker falls. Base and Mask never change.</item>
/// </list>
/// <para>Any thread may read it; only the allocator writes it, one word at a time. On cache lines of its own, because
/// every operation reads it and page turns write it.</para>
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = 192)]
internal unsafe struct RegionMarkers
{
    /// <summary>Logical address 0 in memory: the record at address a is at Base + (a &amp; Mask).</summary>
    [FieldOffset(64)] public byte* Base;

    /// <summary>The bits of an address that determine its position in the circular buffer.</summary>
    [FieldOffset(72)] public long Mask;

    /// <summary>The lowest valid address.</summary>
    [FieldOffset(80)] public long Begin;

    /// <summary>The lowest address in memory.</summary>
    [FieldOffset(88)] public long Head;

    /// <summary>Below it no session updates in place any more; between it and ReadOnly is the fuzzy region.</summary>
    [FieldOffset(96)] public long SafeReadOnly;

    /// <summary>From here on records are updated in place.</summary>
    [FieldOffset(104)] public long ReadOnly;
}
