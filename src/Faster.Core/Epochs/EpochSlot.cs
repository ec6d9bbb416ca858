using System.Runtime.InteropServices;

namespace Faster.Epochs;

/// <summary>One session's entry of the epoch table: a cache line of its own (paper 000 §2.3).</summary>
/// <remarks>
/// Only the session that holds the slot writes it; any thread may read it. One line tells everything about a session:
/// its epoch, and where it stands in its own order and in the commit under way. All is zero when the slot is handed
/// out.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = Bytes)]
internal struct EpochSlot
{
    /// <summary>The size of a slot: one cache line.</summary>
    public const int Bytes = 64;

    /// <summary>The epoch in which the session is, or 0 while it is idle.</summary>
    [FieldOffset(0)] public long Epoch;

    /// <summary>The serial number of the session's last accepted operation.</summary>
    [FieldOffset(8)] public long Serial;

    /// <summary>The session's commit point in the commit of <see cref="PointVersion"/>.</summary>
    [FieldOffset(16)] public long Point;

    /// <summary>The last version whose commit the session has seen in time to note its point.</summary>
    [FieldOffset(24)] public long PointVersion;

    /// <summary>
    /// The last epoch in which the session has found the store at rest and its index stable; 0 when it has to look.
    /// </summary>
    [FieldOffset(32)] public long Quiet;

    /// <summary>Whether the session is in the middle of several operations under one serial number.</summary>
    [FieldOffset(40)] public long InUnit;

    /// <summary>
    /// The table's counters; or <see cref="EpochCounters.Shut"/>, when the session may not enter any more. An <see
    /// cref="EpochCounters"/>*.
    /// </summary>
    [FieldOffset(48)] public nint Counters;

    /// <summary>
    /// How many calls of the session are under way that may leave its epoch and go on: what waits, batches, and what
    /// completes pending operations. Changed by interlocked operations.
    /// </summary>
    [FieldOffset(56)] public int Calls;

    /// <summary>The slot's place in its table; written once, by the table.</summary>
    [FieldOffset(60)] public int Index;
}
