using System.Runtime.InteropServices;
using Faster.Memory;

namespace Faster.Epochs;

/// <summary>
/// One session's entry in the epoch table (paper 000 §2.3), on cache lines of its own: one line for what any session
/// has, and four that belong to its engine.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Only the session that holds the slot writes it, except for <see cref="Counters"/>, which the thread that
/// takes or closes the session writes; any thread may read it.</item>
/// <item>All bytes but those of <see cref="Counters"/> and <see cref="Index"/> are zero when the slot is
/// acquired.</item>
/// <item>Only the session that holds the slot reads or writes the engine's bytes.</item>
/// <item><see cref="Epoch"/> is 0 when the slot is released, and when it is acquired again.</item>
/// <item><see cref="Calls"/> is never negative.</item>
/// </list>
/// <para>The first line has everything that other threads may ask about a session: its epoch, and its position in its
/// own order and in the current commit. The engine's lines follow, so that a hit reaches all that it needs through one
/// pointer.</para>
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = Bytes)]
internal unsafe struct EpochSlot
{
    /// <summary>The size of a slot in bytes: five cache lines.</summary>
    public const int Bytes = EngineOffset + (4 * CacheLine.Bytes);

    /// <summary>Where the engine's bytes begin.</summary>
    public const int EngineOffset = CacheLine.Bytes;

    /// <summary>
    /// The slot of all sessions that have ended and given theirs to another one: idle, kept by no thread, and shut.
    /// Nobody announces in it. Never freed.
    /// </summary>
    public static readonly EpochSlot* Ended = MakeEnded();

    /// <summary>The epoch that the session has announced, or 0 while it is idle.</summary>
    [FieldOffset(0)] public long Epoch;

    /// <summary>The serial number of the session's last accepted operation.</summary>
    [FieldOffset(8)] public long Serial;

    /// <summary>The session's commit point in the commit of <see cref="PointVersion"/>.</summary>
    [FieldOffset(16)] public long Point;

    /// <summary>The last version whose commit the session has seen in time to record its commit point.</summary>
    [FieldOffset(24)] public long PointVersion;

    /// <summary>
    /// The quiet epoch: the last one in which the session found the index stable, and no commit in its phase Prepare; 0
    /// when it must check again.
    /// </summary>
    [FieldOffset(32)] public long Quiet;

    /// <summary>
    /// The page of the stack from which the thread that keeps the session between its calls makes hits; 0 if none
    /// keeps it. Written by the session's holder.
    /// </summary>
    [FieldOffset(40)] public nint Home;

    /// <summary>
    /// The table's counters, or <see cref="EpochCounters.Shut"/> when the session may not enter any more. An
    /// <see cref="EpochCounters"/>*.
    /// </summary>
    [FieldOffset(48)] public nint Counters;

    /// <summary>
    /// The number of the session's calls under way, each within the one before, without hits of the thread that keeps
    /// the session.
    /// </summary>
    [FieldOffset(56)] public ushort Calls;

    /// <summary>Whether the session is in a unit: between several operations under one serial number.</summary>
    [FieldOffset(58)] public bool InUnit;

    /// <summary>The slot's index in its table; written once, by the table.</summary>
    [FieldOffset(60)] public int Index;

    private static EpochSlot* MakeEnded()
    {
        var ended = (EpochSlot*)NativeMemory.AlignedAlloc(Bytes, CacheLine.Bytes);
        *ended = new EpochSlot { Counters = (nint)EpochCounters.Shut, Index = -1 };
        return ended;
    }
}
