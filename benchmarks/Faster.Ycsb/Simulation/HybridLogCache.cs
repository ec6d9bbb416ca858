namespace Faster.Ycsb.Simulation;

/// <summary>
/// The memory of a hybrid log (paper 000, §7.5): the newest records. A key that is accessed in the read-only part of
/// them, or is not among them, gets a new record at the tail; in the mutable part it stays where it is.
/// </summary>
/// <remarks>Keeps no statistics. A key that was copied has two records in memory, which costs space.</remarks>
internal sealed class HybridLogCache : IKeyCache
{
    /// <summary>The part of the memory that is mutable, as the store's default.</summary>
    public const double MutablePart = 0.9;

    private readonly long[] _recordOf;
    private readonly int _records;
    private readonly int _mutable;
    private long _tail;

    /// <summary>An empty log that holds up to <paramref name="capacity"/> records in memory.</summary>
    public HybridLogCache(int keys, int capacity, double mutablePart = MutablePart)
    {
        _recordOf = new long[keys];
        Array.Fill(_recordOf, long.MinValue);
        _records = capacity;
        _mutable = Math.Max(1, (int)(capacity * mutablePart));
    }

    /// <inheritdoc/>
    public bool Touch(int key)
    {
        long record = _recordOf[key];
        bool isHit = record >= _tail - _records;
        if (record < _tail - _mutable)
            _recordOf[key] = _tail++;
        return isHit;
    }
}
