using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Memory;

namespace Faster.Expiry;

/// <summary>
/// The time of a store, in Unix milliseconds, and whether it is recent: alone on a cache line, because every operation
/// on a record that expires reads it. <see cref="StoreClock"/> says what it means. Thread-safe.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = CacheLine.Bytes)]
internal unsafe struct RecentTime
{
    private static readonly RecentTime[] _never = Allocate(0);

    /// <summary>The latest time that has been read.</summary>
    [FieldOffset(0)] public long Latest;

    [FieldOffset(8)] private bool _isRecent;

    /// <summary>One that is never recent.</summary>
    public static RecentTime* Never { get; } = In(_never);

    /// <summary>Whether the time is read anew every few milliseconds.</summary>
    public bool IsRecent
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        readonly get => Volatile.Read(in _isRecent);
        set => Volatile.Write(ref _isRecent, value);
    }

    /// <summary>Allocates memory for one, which does not move.</summary>
    public static RecentTime[] Allocate(long time)
    {
        RecentTime[] memory = GC.AllocateArray<RecentTime>(2, pinned: true);
        In(memory)->Latest = time;
        return memory;
    }

    /// <summary>The one in memory that was allocated for it.</summary>
    public static RecentTime* In(RecentTime[] memory)
    {
        var start = (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(memory));
        return (RecentTime*)((start + CacheLine.Bytes - 1) & ~(nuint)(CacheLine.Bytes - 1));
    }
}
