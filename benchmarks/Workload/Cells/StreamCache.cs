namespace Faster.Workload.Cells;

/// <summary>
/// Draws the key streams of a load's cells. What the last cell has used is kept, for neighbouring cells often use the
/// same; no more, for streams are long.
/// </summary>
internal sealed class StreamCache(int keys, IReadOnlyList<int>? trace)
{
    private KeyDraw? _draw;
    private KeyStream[] _streams = [];

    /// <summary>The streams of a cell, at their start.</summary>
    public KeyStream[] Draw(CellSettings cell, YcsbWorkload workload)
    {
        var draw = new KeyDraw(keys, cell.Distribution, workload.DrawnReads) { Theta = cell.Theta, Trace = trace };
        bool depends = cell.Distribution is KeyDistribution.Latest or KeyDistribution.Trace; // on the thread count
        if (draw != _draw || depends || _streams.Length < cell.Threads)
        {
            _streams = [];
            _streams = draw.Streams(cell.Threads);
            _draw = draw;
            return _streams;
        }

        return [.. _streams.Take(cell.Threads).Select(s => new KeyStream(s.DrawnArray))];
    }
}
