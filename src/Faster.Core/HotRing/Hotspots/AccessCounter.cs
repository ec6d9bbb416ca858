namespace Faster.HotRing.Hotspots;

/// <summary>The memory accesses of a session's sampled operations, whose average triggers a rehash (002
/// §3.4).</summary>
/// <remarks>Written by one session; any thread may read the totals.</remarks>
internal sealed class AccessCounter(double limit)
{
    private const int Window = 256;

    private long _operations, _accesses;
    private long _windowOperations, _windowAccesses;

    /// <summary>The number of operations that were counted.</summary>
    public long Operations => Volatile.Read(ref _operations);

    /// <summary>Their memory accesses: the head, and each item that was visited.</summary>
    public long Accesses => Volatile.Read(ref _accesses);

    /// <summary>Whether the last full window was above the limit; until <see cref="Restart"/>.</summary>
    public bool IsAboveLimit { get; private set; }

    /// <summary>Counts an operation.</summary>
    public void Add(int accesses)
    {
        _operations++;
        _accesses += accesses;
        _windowAccesses += accesses;
        if (++_windowOperations < Window) return;
        IsAboveLimit = _windowAccesses > limit * _windowOperations;
        (_windowOperations, _windowAccesses) = (0, 0);
    }

    /// <summary>Begins a new window.</summary>
    public void Restart()
    {
        IsAboveLimit = false;
        (_windowOperations, _windowAccesses) = (0, 0);
    }
}
