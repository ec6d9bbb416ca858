namespace Faster.Ycsb.Simulation;

/// <summary>
/// CLOCK: a hand goes round over the keys and evicts the first one that was not used since it last passed.
/// </summary>
internal sealed class ClockCache : IKeyCache
{
    private const int Nowhere = -1;

    private readonly int[] _slotOf;
    private readonly int[] _held;
    private readonly bool[] _isUsed;
    private int _count;
    private int _hand;

    /// <summary>An empty cache.</summary>
    public ClockCache(int keys, int capacity)
    {
        _slotOf = new int[keys];
        Array.Fill(_slotOf, Nowhere);
        _held = new int[capacity];
        _isUsed = new bool[capacity];
    }

    /// <inheritdoc/>
    public bool Touch(int key)
    {
        int slot = _slotOf[key];
        if (slot != Nowhere)
            return _isUsed[slot] = true;
        slot = _count < _held.Length ? _count++ : Victim();
        _held[slot] = key;
        _slotOf[key] = slot;
        return false;
    }

    private int Victim()
    {
        for (;; Advance())
        {
            if (!_isUsed[_hand])
                break;
            _isUsed[_hand] = false;
        }

        int slot = _hand;
        _slotOf[_held[slot]] = Nowhere;
        Advance();
        return slot;
    }

    private void Advance() => _hand = _hand + 1 == _held.Length ? 0 : _hand + 1;
}
