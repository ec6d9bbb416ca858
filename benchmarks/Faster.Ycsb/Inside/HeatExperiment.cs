using System.Diagnostics;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines.HotRing;

namespace Faster.Ycsb.Inside;

/// <summary>
/// What a read costs in a store on the engine HotRing, in memory accesses that its sessions count (paper 002,
/// Fig. 10–17). One thread.
/// </summary>
/// <param name="Keys">How many keys are loaded.</param>
/// <param name="Strategy">How heads follow the hot keys.</param>
internal sealed record HeatExperiment(int Keys, HotspotStrategy Strategy)
{
    private const double WarmUpSeconds = 1, BinSeconds = 0.02;

    /// <summary>The name of a strategy's engine in results.</summary>
    public string Engine => Strategy == HotspotStrategy.RandomMovement ? "hotring-random" : "hotring";

    /// <summary>Counts the accesses in an index of a fixed size, and computes the fewest.</summary>
    public async Task<HeatResult> CountAsync(double theta, int keysPerBucket, double seconds)
    {
        await using RingNumbers.Store store =
            await RingNumbers.OpenAsync(RingSource.OptionsFor(Keys, keysPerBucket, Strategy));
        AnswerCheck.Load(new RingEngine(store, batches: false), Keys);
        KeyStream stream = StreamOf(theta);
        using var worker = new RingWorker(store.StartSession());
        _ = Read(worker, stream, 0, WarmUpSeconds);
        HotRingStatistics before = store.Statistics;
        long done = Read(worker, stream, 0, seconds);
        return new HeatResult
        {
            Engine = Engine,
            Workload = "c",
            Distribution = "zipf",
            Keys = Keys,
            Threads = 1,
            OperationsPerSecond = done / seconds,
            Theta = theta,
            KeysPerBucket = keysPerBucket,
            Accesses = AccessesBetween(before, store.Statistics),
            Optimum = OptimumOf(SharesOf(stream), Keys / keysPerBucket),
            Chain = 1 + ((keysPerBucket + 1) / 2.0),
        };
    }

    /// <summary>Reads while other keys become hot, or while the index grows.</summary>
    /// <param name="theta">The skew.</param>
    /// <param name="interval">R.</param>
    /// <param name="keysPerBucket">The keys of a ring; null for an index that grows from the smallest.</param>
    /// <param name="seconds">How long to read; half of it before the hot keys change.</param>
    public async Task<HeatTimelineResult> RunAsync(double theta, int interval, int? keysPerBucket, double seconds)
    {
        HotRingOptions options = RingSource.OptionsFor(Keys, keysPerBucket, Strategy) with
        {
            HotspotInterval = interval, ExpectedKeys = 0,
        };
        bool shifts = keysPerBucket is not null;
        await using RingNumbers.Store store = await RingNumbers.OpenAsync(options);
        AnswerCheck.Load(new RingEngine(store, batches: false), Keys);
        KeyStream stream = StreamOf(theta);
        using var worker = new RingWorker(store.StartSession());
        if (shifts)
            _ = Read(worker, stream, 0, WarmUpSeconds);
        var bins = new List<(double Second, double PerSecond, double Accesses, long Rehashes)>();
        long start = Stopwatch.GetTimestamp();
        double from = 0;
        for (HotRingStatistics before = store.Statistics; from < seconds;)
        {
            long done = Read(worker, stream, shifts && from >= seconds / 2 ? Keys / 2 : 0, BinSeconds);
            HotRingStatistics after = store.Statistics;
            double now = Stopwatch.GetElapsedTime(start).TotalSeconds;
            bins.Add((now, done / (now - from), AccessesBetween(before, after), after.Rehashes));
            (before, from) = (after, now);
        }

        return new HeatTimelineResult
        {
            Engine = Engine,
            Workload = "c",
            Distribution = "zipf",
            Keys = Keys,
            Threads = 1,
            OperationsPerSecond = bins.Average(b => b.PerSecond),
            Interval = interval,
            ShiftSecond = shifts ? seconds / 2 : 0,
            Seconds = [.. bins.Select(b => b.Second)],
            BinPerSecond = [.. bins.Select(b => b.PerSecond)],
            BinAccesses = [.. bins.Select(b => b.Accesses)],
            Rehashes = [.. bins.Select(b => b.Rehashes)],
        };
    }

    /// <summary>
    /// The fewest average accesses of any positions of heads: keys are thrown into rings at random, and of each ring
    /// the best of all positions is taken.
    /// </summary>
    /// <param name="shares">The share of each key in all reads.</param>
    /// <param name="buckets">How many rings there are.</param>
    public static double OptimumOf(double[] shares, int buckets)
    {
        var random = new SplitMix64(17);
        var rings = new List<double>[buckets];
        foreach (double share in shares)
        {
            List<double> ring = rings[random.NextBelow(buckets)] ??= [];
            ring.Insert(random.NextBelow(ring.Count + 1), share);
        }

        return rings.Where(ring => ring is not null).Sum(BestOf);
    }

    private static double BestOf(List<double> ring) => Enumerable.Range(0, ring.Count)
        .Min(head => Enumerable.Range(0, ring.Count).Sum(step => ring[(head + step) % ring.Count] * (2 + step)));

    private static double AccessesBetween(HotRingStatistics before, HotRingStatistics after)
    {
        double all = (after.AccessesPerOperation * after.SampledOperations)
            - (before.AccessesPerOperation * before.SampledOperations);
        return all / Math.Max(1, after.SampledOperations - before.SampledOperations);
    }

    private KeyStream StreamOf(double theta) =>
        new KeyDraw(Keys, KeyDistribution.Zipf) { Theta = theta }.Streams(1)[0];

    private double[] SharesOf(KeyStream stream)
    {
        var shares = new double[Keys];
        foreach (int key in stream.Drawn)
            shares[key] += 1.0 / stream.Drawn.Length;
        return shares;
    }

    // Other keys become hot by a shift of all of them.
    private long Read(RingWorker worker, KeyStream stream, int shift, double seconds)
    {
        long start = Stopwatch.GetTimestamp(), done = 0, missing = 0;
        var shifted = new long[KeyStream.ChunkLength];
        while (Stopwatch.GetElapsedTime(start).TotalSeconds < seconds)
        {
            ReadOnlySpan<long> drawn = stream.Take();
            Span<long> keys = shifted.AsSpan(0, drawn.Length);
            for (int i = 0; i < drawn.Length; i++)
                keys[i] = (drawn[i] + shift) % Keys;
            missing += AnswerCheck.SumOfReads(keys) - worker.Read(keys);
            done += keys.Length;
        }

        return missing == 0 ? done : throw new WrongAnswerException("A value that was read belongs to another key.");
    }
}
