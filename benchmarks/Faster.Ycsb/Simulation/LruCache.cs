namespace Faster.Ycsb.Simulation;

/// <summary>LRU-1: evicts the key whose last access lies furthest back.</summary>
internal sealed class LruCache : IKeyCache
{
    private readonly LinkedList<int> _byUse = new();
    private readonly LinkedListNode<int>?[] _nodeOf;
    private readonly int _capacity;

    /// <summary>An empty cache.</summary>
    public LruCache(int keys, int capacity)
    {
        _nodeOf = new LinkedListNode<int>?[keys];
        _capacity = capacity;
    }

    /// <inheritdoc/>
    public bool Touch(int key)
    {
        bool isHit = _nodeOf[key] is not null;
        LinkedListNode<int> node = _nodeOf[key] ?? Room();
        if (isHit)
            _byUse.Remove(node);
        node.Value = key;
        _nodeOf[key] = node;
        _byUse.AddLast(node);
        return isHit;
    }

    private LinkedListNode<int> Room()
    {
        if (_byUse.Count < _capacity)
            return new LinkedListNode<int>(0);
        LinkedListNode<int> oldest = _byUse.First!;
        _byUse.Remove(oldest);
        _nodeOf[oldest.Value] = null;
        return oldest;
    }
}
