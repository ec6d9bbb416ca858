namespace Faster.HotRing.Hotspots;

/// <summary>
/// After how many operations a session considers whether the hotspot of a ring has shifted: R (paper 002 §3.2), and up
/// to <see cref="MaxFactor"/> times as many while the memory accesses of its operations stay the same.
/// </summary>
/// <remarks>
/// With a constant R of 5, most operations of a ring that has no single hot item are sampled, again and again, although
/// nothing changes. A change shows in the average of accesses: more of them when other keys become hot, fewer while
/// heads are moved to where they belong. Not thread-safe: it belongs to one session.
/// </remarks>
internal sealed class SamplingPace
{
    /// <summary>How many times R the interval becomes at most.</summary>
    public const int MaxFactor = 16;

    // The average of a block varies by some 6 % by chance, that of a window by 1.5 %.
    private const int Block = 256, BlocksPerWindow = 16;
    private const double Jump = 1.25, Drift = 0.06;

    private readonly int _least;
    private long _accesses, _windowAccesses;
    private int _operations, _blocks;
    private double _usual;

    /// <summary>Begins with R.</summary>
    public SamplingPace(int interval) => Interval = _least = interval;

    /// <summary>After how many operations the next one is due.</summary>
    public int Interval { get; private set; }

    /// <summary>Counts an operation that was due.</summary>
    /// <param name="accesses">Its memory accesses.</param>
    public void Add(int accesses)
    {
        _accesses += accesses;
        if (++_operations < Block) return;
        double average = (double)_accesses / Block;
        _windowAccesses += _accesses;
        (_accesses, _operations) = (0, 0);
        if (_usual > 0 && average > Jump * _usual) BeginWindow(_least, average);
        else if (++_blocks == BlocksPerWindow) EndWindow((double)_windowAccesses / (Block * BlocksPerWindow));
    }

    private void EndWindow(double average)
    {
        bool isSteady = Math.Abs(average - _usual) <= Drift * _usual;
        BeginWindow(isSteady ? Math.Min(2 * Interval, MaxFactor * _least) : _least, average);
    }

    private void BeginWindow(int next, double usual)
    {
        (Interval, _usual) = (next, usual);
        (_windowAccesses, _blocks) = (0, 0);
    }
}
