namespace Faster.Engines.HotRing.Hotspots;

/// <summary>
/// After how many operations a session considers whether the hotspot of a ring has shifted: R (paper 002 §3.2), and up
/// to <see cref="MaxFactor"/> times as many while the memory accesses of operations stay the same.
/// </summary>
/// <remarks>
/// With a constant R of 5, most operations of a ring that has no single hot item are sampled, again and again, although
/// nothing changes. A change shows in the average of accesses: more of them when other keys become hot, fewer while
/// heads are moved to where they belong. Any thread may read the interval; one at a time adds operations.
/// </remarks>
internal sealed class SamplingPace
{
    /// <summary>How many times R the interval becomes at most.</summary>
    public const int MaxFactor = 16;

    // The average of a block varies by some 6 % by chance, that of a window by 1.5 %.
    private const int Block = 256, BlocksPerWindow = 16;
    private const double Jump = 1.25, Drift = 0.06;

    private readonly int _least;
    private long _operations, _accesses, _windowOperations, _windowAccesses;
    private int _interval, _blocks;
    private double _usual;

    /// <summary>Begins with R.</summary>
    public SamplingPace(int interval) => _interval = _least = interval;

    /// <summary>After how many operations the next one is due.</summary>
    public int Interval => Volatile.Read(ref _interval);

    /// <summary>Counts operations that were due.</summary>
    /// <param name="operations">Their number.</param>
    /// <param name="accesses">Their memory accesses.</param>
    public void Add(long operations, long accesses)
    {
        _operations += operations;
        _accesses += accesses;
        if (_operations < Block) return;
        double average = (double)_accesses / _operations;
        _windowOperations += _operations;
        _windowAccesses += _accesses;
        (_operations, _accesses) = (0, 0);
        if (_usual > 0 && average > Jump * _usual) BeginWindow(_least, average);
        else if (++_blocks == BlocksPerWindow) EndWindow((double)_windowAccesses / _windowOperations);
    }

    private void EndWindow(double average)
    {
        bool isSteady = Math.Abs(average - _usual) <= Drift * _usual;
        BeginWindow(isSteady ? Math.Min(2 * _interval, MaxFactor * _least) : _least, average);
    }

    private void BeginWindow(int next, double usual)
    {
        Volatile.Write(ref _interval, next);
        _usual = usual;
        (_windowOperations, _windowAccesses, _blocks) = (0, 0, 0);
    }
}
