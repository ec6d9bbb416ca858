using System.Runtime.InteropServices;
using Faster.Memory;

namespace Faster.Epochs;

/// <summary>
/// The counters of an epoch table, laid out so that the counters that sessions read share no cache line with those that
/// drains write.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Safe ≤ Fenced &lt; Current; none of the three falls.</item>
/// <item><see cref="Conditions"/> is never negative.</item>
/// <item>The counters of <see cref="Shut"/> equal no epoch and are never written.</item>
/// </list>
/// <para>Written by interlocked operations of the epoch table; any thread may read them. Starts on a cache line of its
/// own.</para>
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = Bytes)]
internal unsafe struct EpochCounters
{
    /// <summary>The size in bytes: two cache lines, and one as a gap before what follows.</summary>
    public const int Bytes = 192;

    /// <summary>
    /// The counters of a session that may not enter any more: no quiet epoch equals their current one. Never freed.
    /// </summary>
    public static readonly EpochCounters* Shut = MakeShut();

    /// <summary>E: the current epoch. Begins at 1, because 0 marks an idle slot. Never falls.</summary>
    [FieldOffset(0)] public long Current;

    /// <summary>
    /// The number of unclaimed actions that wait for a condition; above 0 every session that leaves drains.
    /// </summary>
    [FieldOffset(8)] public long Conditions;

    /// <summary>The highest epoch whose end was followed by a process-wide barrier. Never falls.</summary>
    [FieldOffset(64)] public long Fenced;

    /// <summary>E_s: the highest epoch known to be safe. Never falls.</summary>
    [FieldOffset(72)] public long Safe;

    private static EpochCounters* MakeShut()
    {
        var shut = (EpochCounters*)NativeMemory.AlignedAlloc(Bytes, CacheLine.Bytes);
        *shut = new EpochCounters { Current = -1 };
        return shut;
    }
}
