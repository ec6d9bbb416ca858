using System.Numerics;

namespace Faster.Engines.Bullet.Back;

/// <summary>
/// The sizes of small blocks, eight for each doubling, so that at most an eighth of a block is unused; and how many
/// pages a span of each has, so that at most a sixteenth of the span is left at its end.
/// </summary>
internal static class SizeClasses
{
    /// <summary>The largest size in bytes; a larger block is a run of pages.</summary>
    public const int Largest = 32 << 10;

    /// <summary>The number of classes.</summary>
    public const int Count = 8 + (9 * 8);

    private const int Linear = 64, LinearBits = 6, PartOfTail = 16;
    private static readonly int[] _sizes = MakeSizes();
    private static readonly int[] _pages = [.. _sizes.Select(PagesFor)];

    /// <summary>The smallest class whose blocks have a number of bytes.</summary>
    public static int Of(int bytes)
    {
        if (bytes <= Linear) return (bytes - 1) / 8;
        int power = BitOperations.Log2((uint)bytes - 1);
        return 8 + ((power - LinearBits) * 8) + ((bytes - 1 - (1 << power)) >> (power - 3));
    }

    /// <summary>The size of the blocks of a class, in bytes.</summary>
    public static int BytesOf(int sizeClass) => _sizes[sizeClass];

    /// <summary>The pages of a span of a class.</summary>
    public static int PagesOf(int sizeClass) => _pages[sizeClass];

    /// <summary>The blocks of a span of a class.</summary>
    public static int BlocksOf(int sizeClass) =>
        ((_pages[sizeClass] * BackLayout.PageBytes) - Span.HeaderBytes) / _sizes[sizeClass];

    private static int[] MakeSizes()
    {
        var sizes = new List<int>();
        for (int size = 8; size <= Linear; size += 8) sizes.Add(size);
        for (int power = Linear; power < Largest; power *= 2)
        {
            for (int i = 1; i <= 8; i++) sizes.Add(power + (i * power / 8));
        }

        return [.. sizes];
    }

    private static int PagesFor(int size)
    {
        int pages = 1;
        while (true)
        {
            int bytes = pages * BackLayout.PageBytes, usable = bytes - Span.HeaderBytes;
            if (usable >= size && usable % size <= bytes / PartOfTail) return pages;
            pages++;
        }
    }
}
