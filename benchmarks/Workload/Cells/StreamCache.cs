namespace Faster.Workload.Cells;

/// <summary>
/// Draws the key streams of a load's cells, all into the same memory, which is occupied from the start: so a limit of
/// memory that the process gets afterwards holds for the engine alone. What the last cell has used is kept, for
/// neighboring cells often use the same.
/// </summary>
internal sealed class StreamCache
{
    private readonly int _keys;
    private readonly IReadOnlyList<int>? _trace;
    private readonly int[][] _arrays;
    private KeyDraw? _draw;
    private KeyStream[] _streams = [];

    /// <summary>Occupies the memory of the streams.</summary>
    /// <param name="keys">How many keys are loaded.</param>
    /// <param name="trace">The requests of a trace, or null.</param>
    /// <param name="cells">The cells.</param>
    public StreamCache(int keys, IReadOnlyList<int>? trace, IReadOnlyCollection<CellSettings> cells)
    {
        (_keys, _trace) = (keys, trace);
        int length = cells.Max(c => DrawOf(c, reads: 1).DrawnLength);
        _arrays = [.. Enumerable.Range(0, cells.Max(c => c.Threads)).Select(_ => OccupiedArray.Of<int>(length))];
    }

    /// <summary>The streams of a cell, at their start; those of the cell before end.</summary>
    public KeyStream[] Draw(CellSettings cell, YcsbWorkload workload)
    {
        KeyDraw draw = DrawOf(cell, workload.DrawnReads);
        bool depends = cell.Distribution is KeyDistribution.Latest or KeyDistribution.Trace; // on the thread count
        if (draw == _draw && !depends && _streams.Length >= cell.Threads)
            return [.. _streams.Take(cell.Threads).Select(s => new KeyStream(s.DrawnArray))];
        bool fits = draw.DrawnLength == _arrays[0].Length; // not beside a longer or shorter trace
        (_streams, _draw) = (draw.Streams(cell.Threads, fits ? _arrays : null), draw);
        return _streams;
    }

    private KeyDraw DrawOf(CellSettings cell, double reads) =>
        new(_keys, cell.Distribution, reads) { Theta = cell.Theta, Trace = _trace };
}
