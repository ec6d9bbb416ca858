using System.Diagnostics.CodeAnalysis;

namespace Faster.Engines.Bullet.Back;

/// <summary>Where everything lies in the region of the back (docs/formats/back-region.md), and the bounds.</summary>
/// <remarks>Offsets of words of a part count from the part's page.</remarks>
internal static class BackLayout
{
    /// <summary>The unit of the heap, in bytes.</summary>
    public const int PageBytes = 4096;

    /// <summary>Where the two copies of the root are, a page each, behind the header's page.</summary>
    public const int RootsAt = PageBytes;

    /// <summary>Where the parts begin.</summary>
    public const int PartsAt = 3 * PageBytes;

    /// <summary>The most parts of a region.</summary>
    public const int MaxParts = 16;

    /// <summary>The most areas of a region: it may be opened with more capacity one time less.</summary>
    public const int MaxAreas = 64;

    /// <summary>The longest key in bytes.</summary>
    public const int MaxKeyBytes = ushort.MaxValue;

    /// <summary>The buckets of a part's first segment, a power of two; later ones double the number.</summary>
    public const int FirstBuckets = 128;

    /// <summary>The most segments of a part's buckets.</summary>
    public const int MaxSegments = 40;

    /// <summary>The most buckets of a part.</summary>
    public const long MaxBuckets = (long)FirstBuckets << (MaxSegments - 1);

    /// <summary>The number of the last batch whose words were stored.</summary>
    public const int SequenceAt = 0;

    /// <summary>How many areas the part's heap has taken in.</summary>
    public const int AreasAt = 8;

    /// <summary>The number of the part's buckets.</summary>
    public const int BucketsAt = 16;

    /// <summary>The number of entries with a value.</summary>
    public const int EntriesAt = 24;

    /// <summary>The number of entries of removed keys.</summary>
    public const int TombstonesAt = 32;

    /// <summary>The number of the heap's free pages.</summary>
    public const int FreePagesAt = 40;

    /// <summary>The offsets of the segments of buckets.</summary>
    public const int SegmentsAt = 64;

    /// <summary>For each size class, the first span that has a free block.</summary>
    public const int ClassesAt = SegmentsAt + (MaxSegments * sizeof(long));

    /// <summary>For each range of lengths, the first free run of pages.</summary>
    public const int BinsAt = ClassesAt + (SizeClasses.Count * sizeof(long));

    /// <summary>How many of those there are.</summary>
    public const int Bins = 128;

    /// <summary>The size of all words of a part, at most a page.</summary>
    public const int PartBytes = BinsAt + (Bins * sizeof(long));

    /// <summary>Whether the bytes at an offset are inside a region and aligned.</summary>
    public static bool IsInside(long offset, long bytes, long length) =>
        (offset & 7) == 0 && (ulong)offset <= (ulong)length && (ulong)bytes <= (ulong)(length - offset);

    /// <summary>A number of bytes rounded up to a multiple of 8.</summary>
    public static long Padded(long bytes) => (bytes + 7) & ~7L;

    /// <summary>Reports bytes that can't have been written by a batch.</summary>
    [DoesNotReturn]
    public static void ThrowDamaged(string path, long offset, string what) => throw new DamagedDataException(
        $"The back in '{path}' is damaged at byte offset {offset}: {what}. Restore the store from a copy.")
    {
        Path = path, Offset = offset,
    };
}
