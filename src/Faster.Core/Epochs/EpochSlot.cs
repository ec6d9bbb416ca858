using System.Runtime.InteropServices;

namespace Faster.Epochs;

/// <summary>One session's entry of the epoch table: a cache line of its own (paper 000 §2.3).</summary>
/// <remarks>
/// Only the session that holds the slot writes it; any thread may read it. The bytes between <see cref="Epoch"/> and
/// <see cref="Index"/> are left to the session's own state, so that one line tells everything about a session; they are
/// zero when the slot is handed out.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = Bytes)]
internal struct EpochSlot
{
    /// <summary>The size of a slot: one cache line.</summary>
    public const int Bytes = 64;

    /// <summary>The epoch in which the session is, or 0 while it is idle.</summary>
    [FieldOffset(0)] public long Epoch;

    /// <summary>The slot's place in its table; written once, by the table.</summary>
    [FieldOffset(60)] public int Index;
}
