namespace Faster.Ycsb.Simulation;

/// <summary>The rules by which caches are compared, as paper 000 does in Fig. 14 to 16.</summary>
/// <param name="Name">What reports call it.</param>
/// <param name="Create">Makes an empty cache for keys 0 to the first number − 1, with capacity for the second.</param>
internal sealed record CacheRule(string Name, Func<int, int, IKeyCache> Create)
{
    /// <summary>All of them.</summary>
    public static IReadOnlyList<CacheRule> All { get; } =
    [
        new("hlog", (keys, capacity) => new HybridLogCache(keys, capacity)),
        new("fifo", (keys, capacity) => new FifoCache(keys, capacity)),
        new("clock", (keys, capacity) => new ClockCache(keys, capacity)),
        new("lru-1", (keys, capacity) => new LruCache(keys, capacity)),
        new("lru-2", (keys, capacity) => new Lru2Cache(keys, capacity)),
    ];
}
