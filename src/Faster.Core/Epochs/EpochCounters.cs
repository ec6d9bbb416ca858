using System.Runtime.InteropServices;

namespace Faster.Epochs;

/// <summary>
/// The counters of an epoch table, laid out so that what sessions read shares no line with what drains write.
/// </summary>
/// <remarks>Begins at a line of its own.</remarks>
[StructLayout(LayoutKind.Explicit, Size = Bytes)]
internal unsafe struct EpochCounters
{
    /// <summary>The size: two lines, and one before what comes next.</summary>
    public const int Bytes = 192;

    /// <summary>
    /// What a session compares with that may not enter any more: no epoch that was noted as quiet equals its current
    /// one. Stays for the life of the process.
    /// </summary>
    public static readonly EpochCounters* Shut = MakeShut();

    /// <summary>E: the current epoch. Begins at 1, because 0 marks an idle slot. Never falls.</summary>
    [FieldOffset(0)] public long Current;

    /// <summary>How many unclaimed actions wait for a condition; above 0 every leaver drains.</summary>
    [FieldOffset(8)] public long Conditions;

    /// <summary>The highest epoch whose end a process-wide barrier has followed. Never falls.</summary>
    [FieldOffset(64)] public long Fenced;

    /// <summary>E_s: the highest epoch known to be safe. Never falls.</summary>
    [FieldOffset(72)] public long Safe;

    private static EpochCounters* MakeShut()
    {
        var shut = (EpochCounters*)NativeMemory.AlignedAlloc(Bytes, EpochSlot.Bytes);
        *shut = new EpochCounters { Current = -1 };
        return shut;
    }
}
