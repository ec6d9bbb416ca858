namespace Faster.Engines.HotRing.Hotspots;

/// <summary>
/// The memory accesses of a session's sampled operations, which the session adds to those of the store
/// (<see cref="AccessAverage"/>), a few at a time.
/// </summary>
/// <remarks>Written by one session; any thread may read the totals.</remarks>
internal sealed class AccessCounter(AccessAverage average)
{
    // As many as some six operations need in short rings: the sessions share a line of memory, so they write to it
    // seldom. In long rings one operation has as many, so that they do not stay long.
    private const int Most = 16;

    private long _operations, _accesses;
    private long _addedOperations, _addedAccesses;
    private long _nextTry = Most; // at how many accesses some are added; if others add some then, as many later

    /// <summary>The number of operations that were counted.</summary>
    public long Operations => Volatile.Read(ref _operations);

    /// <summary>Their memory accesses: the head, and each item that was visited.</summary>
    public long Accesses => Volatile.Read(ref _accesses);

    /// <summary>Counts for another session; everything was added.</summary>
    public void BeginAnew() =>
        (_operations, _accesses, _addedOperations, _addedAccesses, _nextTry) = (0, 0, 0, 0, Most);

    /// <summary>Counts an operation.</summary>
    public void Add(int accesses)
    {
        _operations++;
        _accesses += accesses;
        if (_accesses < _nextTry) return;
        _nextTry = _accesses + Most;
        if (average.TryAdd(_operations - _addedOperations, _accesses - _addedAccesses)) Forget();
    }

    /// <summary>Adds what is left to the store's, when the session ends.</summary>
    public void AddRest()
    {
        average.Add(_operations - _addedOperations, _accesses - _addedAccesses);
        Forget();
    }

    /// <summary>Keeps what was not added yet from being added.</summary>
    public void Forget() => (_addedOperations, _addedAccesses) = (_operations, _accesses);
}
