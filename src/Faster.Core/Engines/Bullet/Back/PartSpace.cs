namespace Faster.Engines.Bullet.Back;

/// <summary>Where a part lies: its page of words, its two redo slots, and its share of each area.</summary>
/// <remarks>
/// Each area, the region as it was made and what was added each time that it grew, is divided evenly among the parts.
/// So a part never touches bytes of another one. Immutable.
/// </remarks>
internal sealed class PartSpace
{
    private readonly (long Begin, long End)[] _areas;

    /// <summary>Computes the places of a part.</summary>
    /// <param name="shape">How the region is divided.</param>
    /// <param name="part">The part's number.</param>
    /// <param name="lengths">The length of the region after it was made, and after each growth.</param>
    public PartSpace(BackShape shape, int part, ReadOnlySpan<long> lengths)
    {
        _areas = new (long, long)[lengths.Length];
        long begin = BackLayout.PartsAt;
        for (int i = 0; i < lengths.Length; i++)
        {
            long bytes = (lengths[i] - begin) / BackLayout.PageBytes / shape.Parts * BackLayout.PageBytes;
            _areas[i] = (begin + (part * bytes), begin + ((part + 1) * bytes));
            begin = lengths[i];
        }

        Page = _areas[0].Begin;
        RedoAt = Page + BackLayout.PageBytes;
        _areas[0].Begin = RedoAt + (2 * shape.RedoBytes);
    }

    /// <summary>Where the part's words begin.</summary>
    public long Page { get; }

    /// <summary>Where the first redo slot is; the second one is behind it.</summary>
    public long RedoAt { get; }

    /// <summary>The pages of the heap; one share of an area may be empty.</summary>
    public ReadOnlySpan<(long Begin, long End)> Areas => _areas;

    /// <summary>The end of the area that holds an offset; the offset if none does.</summary>
    public long EndOf(long offset)
    {
        foreach ((long begin, long end) in _areas)
        {
            if (offset >= begin && offset < end) return end;
        }

        return offset;
    }
}
