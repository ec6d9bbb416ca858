using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Simulation;

namespace Faster.Ycsb.Tests.Simulation;

/// <summary>Each rule against its definition written down naively, access by access.</summary>
public sealed class CacheRuleTests
{
    private const int Keys = 60;

    public static TheoryData<int> Capacities => [1, 2, 7, 10, 59, 60, 80];

    [Theory]
    [MemberData(nameof(Capacities))]
    public void Fifo_evicts_the_oldest(int capacity)
    {
        List<int> held = [];
        AssertSame(new FifoCache(Keys, capacity), key =>
        {
            if (held.Contains(key)) return true;
            if (held.Count == capacity) held.RemoveAt(0);
            held.Add(key);
            return false;
        });
    }

    [Theory]
    [MemberData(nameof(Capacities))]
    public void Lru_evicts_the_least_recently_used(int capacity)
    {
        List<int> held = [];
        AssertSame(new LruCache(Keys, capacity), key =>
        {
            bool isHit = held.Remove(key);
            if (held.Count == capacity) held.RemoveAt(0);
            held.Add(key);
            return isHit;
        });
    }

    [Theory]
    [MemberData(nameof(Capacities))]
    public void Lru_2_evicts_the_furthest_last_access_but_one(int capacity)
    {
        List<int> history = [], held = [];
        AssertSame(new Lru2Cache(Keys, capacity), key =>
        {
            bool isHit = held.Contains(key);
            if (!isHit && held.Count == capacity) held.Remove(held.MinBy(Accesses));
            if (!isHit) held.Add(key);
            history.Add(key);
            return isHit;
        }, accesses: 3000);

        (int LastButOne, int Last) Accesses(int key)
        {
            int last = history.LastIndexOf(key);
            return (last == 0 ? -1 : history.LastIndexOf(key, last - 1), last);
        }
    }

    [Theory]
    [MemberData(nameof(Capacities))]
    public void Clock_spares_what_was_used_since_the_hand_passed(int capacity)
    {
        Queue<(int Key, bool Used)> ring = new();
        AssertSame(new ClockCache(Keys, capacity), key =>
        {
            if (ring.Any(e => e.Key == key))
            {
                ring = new(ring.Select(e => e.Key == key ? (key, true) : e));
                return true;
            }

            while (ring.Count == capacity && ring.Dequeue() is (var spared, true)) ring.Enqueue((spared, false));
            ring.Enqueue((key, false));
            return false;
        });
    }

    [Theory]
    [MemberData(nameof(Capacities))]
    public void A_hybrid_log_has_its_newest_records_and_copies_those_that_are_read_only(int capacity)
    {
        List<int> log = [];
        int mutable = Math.Max(1, (int)(capacity * HybridLogCache.MutablePart));
        AssertSame(new HybridLogCache(Keys, capacity), key =>
        {
            bool isHit = log.TakeLast(capacity).Contains(key);
            if (!log.TakeLast(mutable).Contains(key)) log.Add(key);
            return isHit;
        });
    }

    [Fact]
    public void A_cache_of_all_keys_always_hits_when_warm_and_skew_orders_the_rules()
    {
        CacheSimulation zipf = CacheSimulation.Draw(KeyDistribution.Zipf, 5000, 20, ZipfRanks.DefaultTheta);
        IReadOnlyList<SimulationResult> results = zipf.Run([10, 100]);
        Assert.Equal(2 * CacheRule.All.Count, results.Count);
        double Rate(string rule) => results.Single(r => r.Engine == rule && r.CacheKeys == 500).HitRate;
        Assert.True(Rate("lru-2") > Rate("lru-1") && Rate("lru-1") > Rate("fifo"));
        Assert.True(Rate("hlog") > Rate("fifo") && Rate("clock") > Rate("hlog"));
        Assert.All(
            results.Where(r => r.CacheKeys == 5000 && r.Engine != "hlog"), r => Assert.InRange(r.HitRate, 0.98, 1));
    }

    [Fact]
    public void Uniform_keys_hit_in_proportion_to_the_cache_by_any_rule_without_copies()
    {
        CacheSimulation uniform = CacheSimulation.Draw(KeyDistribution.Uniform, 5000, 20, 0);
        Assert.All(
            uniform.Run([30]).Where(r => r.Engine != "hlog"), r => Assert.InRange(r.HitRate, 0.28, 0.32));
    }

    private static void AssertSame(IKeyCache cache, Func<int, bool> definition, int accesses = 20_000)
    {
        var random = new SplitMix64(7);
        var picker = new ZipfKeys(Keys, 0.7);
        for (int i = 0; i < accesses; i++)
        {
            int key = picker.Next(ref random);
            Assert.True(definition(key) == cache.Touch(key), $"Access {i}, of key {key}, differs.");
        }
    }
}
