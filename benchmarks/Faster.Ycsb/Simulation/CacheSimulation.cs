using Faster.Workload;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Simulation;

/// <summary>One stream of accesses through caches of every rule and size.</summary>
/// <param name="Distribution">What the stream is called.</param>
/// <param name="Keys">How many keys it names: 0, 1, ….</param>
/// <param name="Accesses">The keys in their order.</param>
/// <param name="WarmUp">How many accesses from the start are not counted.</param>
internal sealed record CacheSimulation(KeyDistribution Distribution, int Keys, int[] Accesses, int WarmUp)
{
    /// <summary>
    /// Draws a stream; the first half of it warms the caches up. A moving hot set moves once over all keys.
    /// </summary>
    public static CacheSimulation Draw(KeyDistribution distribution, int keys, int accessesOfKey, double theta)
    {
        var accesses = new int[keys * accessesOfKey];
        IKeyPicker picker = distribution == KeyDistribution.Moving
            ? new HotSetKeys(keys, accesses.Length)
            : new KeyDraw(keys, distribution) { Theta = theta }.Pickers(1)(0);
        var random = new SplitMix64(1);
        for (int i = 0; i < accesses.Length; i++)
            accesses[i] = picker.Next(ref random);
        return new CacheSimulation(distribution, keys, accesses, accesses.Length / 2);
    }

    /// <summary>Runs all caches, as many at a time as there are processors.</summary>
    /// <param name="percents">The sizes of the caches, in percent of the keys.</param>
    public IReadOnlyList<SimulationResult> Run(IEnumerable<double> percents)
    {
        (CacheRule Rule, int Capacity)[] all =
        [
            .. from percent in percents
               from rule in CacheRule.All
               select (rule, Math.Max(1, (int)(Keys * percent / 100))),
        ];
        var results = new SimulationResult[all.Length];
        Parallel.For(0, all.Length, i => results[i] = Run(all[i].Rule, all[i].Capacity));
        return results;
    }

    private SimulationResult Run(CacheRule rule, int capacity)
    {
        IKeyCache cache = rule.Create(Keys, capacity);
        long hits = 0;
        for (int i = 0; i < Accesses.Length; i++)
        {
            if (cache.Touch(Accesses[i]) && i >= WarmUp)
                hits++;
        }

        int counted = Accesses.Length - WarmUp;
        return new SimulationResult
        {
            Engine = rule.Name, Workload = "access", Distribution = EnumNames.Of(Distribution), Keys = Keys,
            Threads = 0, OperationsPerSecond = 0, CacheKeys = capacity, Accesses = counted,
            HitRate = (double)hits / counted,
        };
    }
}
