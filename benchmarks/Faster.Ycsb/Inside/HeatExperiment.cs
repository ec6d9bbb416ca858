using System.Diagnostics;
using Faster.Workload.Engines;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines.HotRing;

namespace Faster.Ycsb.Inside;

/// <summary>
/// What a read costs in a store on the engine HotRing, in memory accesses that its sessions count (paper 002,
/// Fig. 10–17). One thread.
/// </summary>
/// <remarks>
/// Keys are drawn as they are read and never repeat as a stream: a session looks at every R-th operation, and in a
/// stream that repeats these are the same few ones each time, which heads would follow and counts would favor.
/// </remarks>
/// <param name="Keys">How many keys are loaded.</param>
/// <param name="Strategy">How heads follow the hot keys.</param>
internal sealed record HeatExperiment(int Keys, HotspotStrategy Strategy)
{
    private const double BinSeconds = 0.02;

    private readonly long[] _drawn = new long[KeyStream.ChunkLength];
    private SplitMix64 _random = new(1);
    private int _loaded = Keys;

    /// <summary>How many reads a key, on average, come before anything is counted.</summary>
    /// <remarks>
    /// Heads settle after so many reads of their rings, not after a time, and a ring of cold keys is read seldom.
    /// </remarks>
    public required int WarmUpReads { get; init; }

    /// <summary>The name of a strategy's engine in results.</summary>
    public string Engine => Strategy == HotspotStrategy.RandomMovement ? "hotring-random" : "hotring";

    /// <summary>Counts the accesses in an index of a fixed size, and computes the fewest.</summary>
    public async Task<HeatResult> CountAsync(double theta, int keysPerBucket, double seconds)
    {
        await using Numbers.HotRingStore store =
            await Numbers.HotRingStore.OpenAsync(RingSource.OptionsFor(Keys, keysPerBucket, Strategy));
        AnswerCheck.Load(new RingEngine(store, batches: false), Keys);
        IKeyPicker picker = PickerOf(theta);
        using var worker = new SingleWorker<RingSession>(new(store.StartSession()));
        WarmUp(worker, picker);
        HotRingStatistics before = store.Statistics;
        (long done, double read) = Read(worker, picker, 0, seconds);
        return new HeatResult
        {
            Engine = Engine,
            Workload = "c",
            Distribution = "zipf",
            Keys = Keys,
            Threads = 1,
            OperationsPerSecond = done / read,
            Theta = theta,
            KeysPerBucket = keysPerBucket,
            Accesses = AccessesBetween(before, store.Statistics),
            Optimum = OptimumOf(SharesOf(theta), (int)before.Buckets),
            Chain = 1 + ((keysPerBucket + 1) / 2.0),
        };
    }

    /// <summary>
    /// Reads while other keys become hot; or, beginning with an empty store and the smallest index, inserts a key for
    /// each read until all are there, and then reads on (Fig. 17).
    /// </summary>
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
        await using Numbers.HotRingStore store = await Numbers.HotRingStore.OpenAsync(options);
        if (shifts) AnswerCheck.Load(new RingEngine(store, batches: false), Keys);
        else _loaded = 0;
        IKeyPicker picker = PickerOf(theta);
        using var worker = new SingleWorker<RingSession>(new(store.StartSession()));
        if (shifts)
            WarmUp(worker, picker);
        var bins = new List<(double Second, double PerSecond, double Accesses, long Rehashes)>();
        double now = 0;
        for (HotRingStatistics before = store.Statistics; now < seconds;)
        {
            (long done, double read) = Read(worker, picker, shifts && now >= seconds / 2 ? Keys / 2 : 0, BinSeconds);
            HotRingStatistics after = store.Statistics;
            now += read;
            bins.Add((now, done / read, AccessesBetween(before, after), after.Rehashes));
            before = after;
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

    private IKeyPicker PickerOf(double theta) =>
        new KeyDraw(Keys, KeyDistribution.Zipf) { Theta = theta }.Pickers(1)(0);

    // By rank: which keys they are does not matter to rings that are thrown at random.
    private double[] SharesOf(double theta)
    {
        var ranks = new ZipfRanks(Keys, theta);
        return [.. Enumerable.Range(0, Keys).Select(rank => ranks.PartBelow(rank + 1) - ranks.PartBelow(rank))];
    }

    private void WarmUp(SingleWorker<RingSession> worker, IKeyPicker picker)
    {
        for (long left = (long)WarmUpReads * Keys; left > 0; left -= _drawn.Length)
            _ = ReadChunk(worker, picker, 0);
    }

    // Time is that of the operations; drawing is left out.
    private (long Done, double Seconds) Read(
        SingleWorker<RingSession> worker, IKeyPicker picker, int shift, double seconds)
    {
        long done = 0;
        TimeSpan read = TimeSpan.Zero;
        for (; read.TotalSeconds < seconds; done += _drawn.Length)
        {
            int loaded = _loaded;
            if (loaded < Keys) read += InsertChunk(worker);
            done += _loaded - loaded;
            read += ReadChunk(worker, picker, shift);
        }

        return (done, read.TotalSeconds);
    }

    private TimeSpan InsertChunk(SingleWorker<RingSession> worker)
    {
        int count = Math.Min(_drawn.Length, Keys - _loaded);
        for (int i = 0; i < count; i++)
            _drawn[i] = _loaded++;
        long start = Stopwatch.GetTimestamp();
        worker.Upsert(_drawn.AsSpan(0, count), mask: 0);
        return Stopwatch.GetElapsedTime(start);
    }

    // Other keys become hot by a shift of all of them.
    private TimeSpan ReadChunk(SingleWorker<RingSession> worker, IKeyPicker picker, int shift)
    {
        for (int i = 0; i < _drawn.Length; i++)
            _drawn[i] = (picker.Next(ref _random) + shift) % _loaded;
        long start = Stopwatch.GetTimestamp();
        long told = worker.Read(_drawn);
        TimeSpan read = Stopwatch.GetElapsedTime(start);
        AnswerCheck.CheckMixed(told, _drawn);
        return read;
    }
}
