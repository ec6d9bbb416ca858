namespace Faster.DurableTask.Partitions;

/// <summary>
/// The slots of a partition: small numbers without gaps, so that recovery reads them without an index. A step takes
/// slots by their place in the free list, and only when it is applied they leave it.
/// </summary>
/// <remarks>
/// Guarded by the partition's gate. A slot that a step has emptied may be taken by the next step: that is never durable
/// without the earlier one.
/// </remarks>
internal sealed class Slots
{
    private readonly List<int> _free = [];
    private readonly List<string> _keys = [];

    /// <summary>How many slots there are, empty ones included.</summary>
    public int Count { get; private set; }

    /// <summary>How many are occupied.</summary>
    public int Occupied => Count - _free.Count;

    /// <summary>The number of slots once a step is applied.</summary>
    public int CountAfter(Step step) => Count + Math.Max(0, step.SlotsTaken - _free.Count);

    /// <summary>Takes a slot for a step.</summary>
    public int Take(Step step)
    {
        int taken = step.SlotsTaken++;
        return taken < _free.Count ? _free[^(taken + 1)] : Count + taken - _free.Count;
    }

    /// <summary>Applies what a step has taken.</summary>
    public void Apply(Step step)
    {
        int count = CountAfter(step);
        _free.RemoveRange(_free.Count - Math.Min(_free.Count, step.SlotsTaken), Math.Min(_free.Count, step.SlotsTaken));
        Count = count;
    }

    /// <summary>Makes a slot free, once the step that empties it is applied.</summary>
    public void Free(int slot) => _free.Add(slot);

    /// <summary>Begins with the slots of a recovered store.</summary>
    public void Recover(int count) => Count = count;

    /// <summary>The key of a slot's record.</summary>
    public string KeyOf(int slot)
    {
        while (_keys.Count <= slot) _keys.Add($"s/{_keys.Count}");
        return _keys[slot];
    }
}
