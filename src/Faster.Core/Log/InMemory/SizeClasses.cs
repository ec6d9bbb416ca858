using System.Numerics;

namespace Faster.Log.InMemory;

/// <summary>
/// The sizes in which an allocator provides memory: each multiple of 8 up to 1 KiB, and above that eight for each power
/// of two, so that at most a ninth of a block is unused.
/// </summary>
internal static class SizeClasses
{
    /// <summary>The number of classes.</summary>
    public const int Count = Exact + ((MaxBits - ExactBits) * Steps) + 1;

    /// <summary>The largest size in bytes.</summary>
    public const int Most = 1 << MaxBits;

    /// <summary>The smallest block in bytes that a free list can hold: two links.</summary>
    public const int Least = 16;

    private const int ExactBits = 10, MaxBits = 24, StepBits = 3, Steps = 1 << StepBits;
    private const int Exact = (1 << ExactBits) / 8;

    /// <summary>The smallest class that holds a size.</summary>
    /// <param name="size">The size in bytes, a multiple of 8 from 8 to <see cref="Most"/>.</param>
    public static int Holding(int size)
    {
        if (size <= 1 << ExactBits) return size / 8;
        int bits = BitOperations.Log2((uint)size - 1); // log2 of the power of two below the size
        int step = (size - 1 - (1 << bits)) >> (bits - StepBits);
        return Exact + ((bits - ExactBits) * Steps) + step + 1;
    }

    /// <summary>The largest class that fits into a number of bytes, at least <see cref="Least"/>.</summary>
    public static int Within(long bytes)
    {
        int size = (int)Math.Min(bytes, Most) & ~7;
        int holding = Holding(size);
        return BytesOf(holding) <= size ? holding : holding - 1;
    }

    /// <summary>The bytes of a class's blocks.</summary>
    public static int BytesOf(int sizeClass)
    {
        if (sizeClass <= Exact) return sizeClass * 8;
        int above = sizeClass - Exact - 1, bits = ExactBits + (above / Steps);
        return (1 << bits) + (((above % Steps) + 1) << (bits - StepBits));
    }
}
