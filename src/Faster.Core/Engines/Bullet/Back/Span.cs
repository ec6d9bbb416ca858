namespace Faster.Engines.Bullet.Back;

/// <summary>What begins each run of pages of a heap: the offsets of its words, and what they say.</summary>
/// <remarks>
/// A run is free, a span of blocks of one size, one large block, or a segment of buckets. All words are changed through
/// batches only.
/// </remarks>
internal static class Span
{
    /// <summary>The size of the header; blocks begin behind it.</summary>
    public const int HeaderBytes = 64;

    /// <summary>Kind, size class and number of pages.</summary>
    public const int ShapeAt = 0;

    /// <summary>The pages of the free run right before it; 0: there is none.</summary>
    public const int BeforeAt = 8;

    /// <summary>How many blocks are in use, and how many were ever given out since the span was made.</summary>
    public const int UsedAt = 16;

    /// <summary>The first block of the list of free ones; 0: none.</summary>
    public const int FreeAt = 24;

    /// <summary>The next run of the same list: of free runs, or of spans with free blocks.</summary>
    public const int NextAt = 32;

    /// <summary>The one before it in that list.</summary>
    public const int PreviousAt = 40;

    private const int ClassShift = 8, PagesShift = 16;

    /// <summary>The shape of a run.</summary>
    public static long ShapeOf(SpanKind kind, int sizeClass, long pages) =>
        (long)kind | ((long)sizeClass << ClassShift) | (pages << PagesShift);

    /// <summary>The kind that a shape says.</summary>
    public static SpanKind KindOf(long shape) => (SpanKind)(shape & 0xFF);

    /// <summary>The size class that a shape says.</summary>
    public static int ClassOf(long shape) => (int)(shape >> ClassShift) & 0xFF;

    /// <summary>The number of pages that a shape says.</summary>
    public static long PagesOf(long shape) => shape >>> PagesShift;

    /// <summary>Both numbers of blocks in one word.</summary>
    public static long UseOf(int used, int given) => (uint)used | ((long)given << 32);

    /// <summary>How many blocks are in use.</summary>
    public static int UsedOf(long use) => (int)use;

    /// <summary>How many blocks were given out.</summary>
    public static int GivenOf(long use) => (int)(use >> 32);
}
