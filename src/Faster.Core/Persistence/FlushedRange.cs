namespace Faster.Persistence;

/// <summary>A part of a region that was flushed and not fenced yet. Immutable.</summary>
/// <param name="Begin">The offset of the first byte.</param>
/// <param name="End">The offset after the last byte, above <paramref name="Begin"/>.</param>
internal readonly record struct FlushedRange(long Begin, long End)
{
    /// <summary>Whether the two overlap or are neighbors.</summary>
    public bool Touches(FlushedRange other) => Begin <= other.End && other.Begin <= End;

    /// <summary>The smallest range that contains both.</summary>
    public FlushedRange With(FlushedRange other) => new(Math.Min(Begin, other.Begin), Math.Max(End, other.End));

    /// <summary>The smallest range of whole units that contains this one.</summary>
    /// <param name="unit">The unit in bytes, a power of two.</param>
    public FlushedRange InUnitsOf(int unit) => new(Begin & -(long)unit, (End + unit - 1) & -(long)unit);
}
