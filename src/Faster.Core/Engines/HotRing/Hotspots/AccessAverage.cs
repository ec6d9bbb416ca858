namespace Faster.Engines.HotRing.Hotspots;

/// <summary>
/// The average memory accesses of the sampled operations of all sessions: triggers a rehash (paper 002 §3.4), and sets
/// the pace at which sessions sample.
/// </summary>
/// <remarks>
/// It belongs to the store, because a session may end after a few operations, or after one. Thread-safe: changed under
/// a short lock, for which no operation waits.
/// </remarks>
/// <param name="limit">The average above which the index shall be doubled.</param>
/// <param name="interval">R: after how many operations of a session one is sampled at first.</param>
internal sealed class AccessAverage(double limit, int interval)
{
    private const int Window = 256;

    private readonly Lock _lock = new();
    private readonly SamplingPace _pace = new(interval);
    private long _operations, _accesses;
    private bool _isAboveLimit;
    private int _sessions;

    /// <summary>After how many operations of a session the next one is sampled.</summary>
    public int Interval => _pace.Interval;

    /// <summary>Whether the last full window was above the limit; until <see cref="Restart"/>.</summary>
    public bool IsAboveLimit => Volatile.Read(ref _isAboveLimit);

    /// <summary>After how many operations of a new session the first one is sampled.</summary>
    /// <remarks>
    /// Each session begins one operation earlier than the one before, so that of sessions that end before an interval
    /// has passed as many operations are sampled as of others.
    /// </remarks>
    public int NextFirst()
    {
        int most = Interval;
        uint session = (uint)Interlocked.Increment(ref _sessions) - 1;
        return most - (int)(session % (uint)most);
    }

    /// <summary>Adds operations, unless another session is adding some.</summary>
    public bool TryAdd(long operations, long accesses)
    {
        if (!_lock.TryEnter()) return false;
        try
        {
            Count(operations, accesses);
            return true;
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Adds operations.</summary>
    public void Add(long operations, long accesses)
    {
        lock (_lock) Count(operations, accesses);
    }

    /// <summary>Begins a new window.</summary>
    public void Restart()
    {
        lock (_lock)
        {
            _isAboveLimit = false;
            (_operations, _accesses) = (0, 0);
        }
    }

    // A window ends early when its operations, whatever the rest of them needs, will have been above the limit: in long
    // rings after a few operations.
    private void Count(long operations, long accesses)
    {
        _pace.Add(operations, accesses);
        _operations += operations;
        _accesses += accesses;
        bool isAbove = _accesses > limit * Math.Max(_operations, Window);
        if (!isAbove && _operations < Window) return;
        Volatile.Write(ref _isAboveLimit, isAbove);
        (_operations, _accesses) = (0, 0);
    }
}
