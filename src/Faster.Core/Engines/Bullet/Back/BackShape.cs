using System.Numerics;

namespace Faster.Engines.Bullet.Back;

/// <summary>How a region is divided, decided when it is made. Immutable.</summary>
/// <param name="Parts">The number of parts, a power of two, at most <see cref="BackLayout.MaxParts"/>.</param>
/// <param name="RedoBytes">The size of one redo slot, a multiple of <see cref="BackLayout.PageBytes"/>.</param>
/// <param name="WithRedo">
/// Whether batches are atomic. Without, a crash may leave a part of one, and of what it has changed: for measurements.
/// </param>
internal readonly record struct BackShape(int Parts, int RedoBytes, bool WithRedo)
{
    private const int MostRedoBytes = 128 << 10, PartOfRedo = 32, BytesOfPart = 4 << 20;

    /// <summary>The smallest region of this shape, in bytes.</summary>
    public long MinBytes => BackLayout.PartsAt + (Parts * ((2L * RedoBytes) + (16 * BackLayout.PageBytes)));

    /// <summary>The shape for a capacity: few parts if it is small, since each has an even share.</summary>
    /// <param name="capacity">The length of the region in bytes.</param>
    /// <param name="withRedo">Whether batches are atomic.</param>
    public static BackShape For(long capacity, bool withRedo = true)
    {
        int parts = (int)Math.Min(PowerOf2(capacity / BytesOfPart), BackLayout.MaxParts);
        long redo = Math.Max(PowerOf2(capacity / parts / PartOfRedo), BackLayout.PageBytes);
        return new BackShape(parts, (int)Math.Min(redo, MostRedoBytes), withRedo);
    }

    /// <summary>The part of a hash, by its highest bits.</summary>
    public int PartOf(ulong hash) => (int)(Math.BigMul(hash, (ulong)Parts, out _));

    private static long PowerOf2(long atMost) => 1L << BitOperations.Log2((ulong)atMost);
}
