namespace Faster.Ycsb.Simulation;

/// <summary>First in, first out: evicts the key that came first, however often it was used since.</summary>
internal sealed class FifoCache(int keys, int capacity) : IKeyCache
{
    private readonly bool[] _isHeld = new bool[keys];
    private readonly Queue<int> _order = new(capacity);

    /// <inheritdoc/>
    public bool Touch(int key)
    {
        if (_isHeld[key])
            return true;
        if (_order.Count == capacity)
            _isHeld[_order.Dequeue()] = false;
        _order.Enqueue(key);
        _isHeld[key] = true;
        return false;
    }
}
