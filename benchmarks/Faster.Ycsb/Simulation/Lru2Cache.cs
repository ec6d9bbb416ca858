namespace Faster.Ycsb.Simulation;

/// <summary>
/// LRU-2 (O'Neil, O'Neil and Weikum, SIGMOD 1993): evicts the key whose last access but one lies furthest back; keys
/// that were accessed only once come first, the oldest access first.
/// </summary>
/// <remarks>It remembers the accesses of evicted keys indefinitely: the rule at its best.</remarks>
internal sealed class Lru2Cache : IKeyCache
{
    private const long Never = -1;

    private readonly long[] _last;
    private readonly long[] _lastButOne;
    private readonly bool[] _isHeld;
    private readonly SortedSet<(long LastButOne, long Last, int Key)> _byUse = [];
    private readonly int _capacity;
    private long _now;

    /// <summary>An empty cache.</summary>
    public Lru2Cache(int keys, int capacity)
    {
        _capacity = capacity;
        _isHeld = new bool[keys];
        _last = new long[keys];
        _lastButOne = new long[keys];
        Array.Fill(_last, Never);
        Array.Fill(_lastButOne, Never);
    }

    /// <inheritdoc/>
    public bool Touch(int key)
    {
        bool isHit = _isHeld[key];
        if (isHit)
            _byUse.Remove((_lastButOne[key], _last[key], key));
        else if (_byUse.Count == _capacity)
            GiveUp(_byUse.Min);
        _lastButOne[key] = _last[key];
        _last[key] = _now++;
        _byUse.Add((_lastButOne[key], _last[key], key));
        _isHeld[key] = true;
        return isHit;
    }

    private void GiveUp((long LastButOne, long Last, int Key) victim)
    {
        _byUse.Remove(victim);
        _isHeld[victim.Key] = false;
    }
}
