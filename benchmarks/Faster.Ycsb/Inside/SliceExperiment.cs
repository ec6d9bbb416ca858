using System.Diagnostics;
using Faster.Workload.Engines;
using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines.Bare;

namespace Faster.Ycsb.Inside;

/// <summary>
/// Engines in one process that work in turns, for some milliseconds each: what the machine does meanwhile meets all of
/// them alike, so ratios are steadier than any figure.
/// </summary>
/// <param name="Engines">The engines.</param>
/// <param name="Keys">How many keys each is loaded with.</param>
internal sealed record SliceExperiment(IReadOnlyList<(string Name, IEngine Engine)> Engines, int Keys)
{
    private const double WarmUpSeconds = 2;

    // A turn begins when the threads have finished the chunk that they work on for the engine before.
    private static readonly TimeSpan Settling = TimeSpan.FromMilliseconds(2), Slice = TimeSpan.FromMilliseconds(18);

    /// <summary>
    /// The engine that all are compared with; null for the bare table, used as the engine is that is compared.
    /// </summary>
    public string? Beside { get; init; }

    /// <summary>The skew of Zipf's distribution.</summary>
    public double Theta { get; init; } = ZipfRanks.DefaultTheta;

    /// <summary>The keys by which the engines know what is drawn.</summary>
    public KeyNames Names { get; init; }

    /// <summary>The bare table that an engine is compared with: used as that engine is.</summary>
    public static string YardstickOf(string name) =>
        name is StoreNames.Batch or BareSource.Batch or "hotring-batch" ? BareSource.Batch : BareSource.Single;

    /// <summary>Measures one workload.</summary>
    /// <exception cref="WrongAnswerException">A value that was read is wrong.</exception>
    public IReadOnlyList<SliceResult> Run(
        YcsbWorkload workload, KeyDistribution distribution, int threads, double seconds)
    {
        foreach ((_, IEngine engine) in Engines)
            AnswerCheck.Load(engine, Keys, Names);
        var turn = new Turn();
        var draw = new KeyDraw(Keys, distribution, workload.DrawnReads)
        {
            Theta = Theta, Names = Names, Length = LengthFor(distribution),
        };
        KeyStream[] streams = draw.Streams(threads);
        SliceThread[] workers = [.. streams.Select(drawn => new SliceThread(
            Engines.Select(e => e.Engine), workload, drawn.DrawnArray, turn))];
        foreach (SliceThread worker in workers)
            worker.Start();
        var rates = new List<double[]>();
        try
        {
            RunRounds(workers, turn, WarmUpSeconds, null);
            RunRounds(workers, turn, seconds, rates);
        }
        finally
        {
            turn.Stop();
            foreach (SliceThread worker in workers)
                worker.Join();
        }

        for (int i = 0; i < Engines.Count; i++)
            Check(Engines[i].Engine, workload, workers.Sum(worker => worker.DoneFor(i)));
        return [.. Engines.Select((engine, i) => ResultOf(engine.Name, i, rates) with
        {
            Workload = workload.Name,
            Distribution = EnumNames.Of(distribution),
            Threads = threads,
        })];
    }

    private SliceResult ResultOf(string name, int engine, List<double[]> rates)
    {
        string yardstick = Beside ?? YardstickOf(name);
        int beside = Engines.Select(e => e.Name).ToList().IndexOf(yardstick);
        double[] ratios = [.. rates.Select(round => round[engine] / round[beside]).Order()];
        double[] own = [.. rates.Select(round => round[engine]).Order()];
        return new SliceResult
        {
            Engine = name,
            Workload = "",
            Distribution = "",
            Keys = Keys,
            Threads = 0,
            OperationsPerSecond = At(own, 0.5),
            Yardstick = yardstick,
            Slices = rates.Count,
            Ratio = At(ratios, 0.5),
            RatioP10 = At(ratios, 0.1),
            RatioP90 = At(ratios, 0.9),
        };
    }

    // Mixes with read-modify-writes are checked by what their reads tell: how many of them added is not counted.
    private void Check(IEngine engine, YcsbWorkload workload, long done)
    {
        if (workload.Update == UpdateKind.None)
            AnswerCheck.CheckLoaded(engine, Keys, Names);
        else if (workload.Update == UpdateKind.Upsert)
            AnswerCheck.CheckOneOfTwo(engine, Keys, Names);
        else if (workload.Reads == 0)
            AnswerCheck.CheckGrowth(engine, Keys, done, Names);
    }

    // Heads of rings would follow the few operations at which a session looks, if these were the same in every lap.
    private int LengthFor(KeyDistribution distribution) =>
        distribution == KeyDistribution.Zipf ? KeyStream.GreatestLength : KeyStream.LengthFor(Keys);

    private static double At(double[] sorted, double part) => sorted[(int)Math.Round(part * (sorted.Length - 1))];

    // Each second round goes the other way, so that none always follows the same other one.
    private void RunRounds(SliceThread[] workers, Turn turn, double seconds, List<double[]>? rates)
    {
        long start = Stopwatch.GetTimestamp();
        for (int round = 0; Stopwatch.GetElapsedTime(start).TotalSeconds < seconds || rates?.Count == 0; round++)
        {
            var rate = new double[Engines.Count];
            for (int i = 0; i < Engines.Count; i++)
            {
                int engine = round % 2 == 0 ? i : Engines.Count - 1 - i;
                rate[engine] = RateOf(workers, turn, engine);
            }

            // On a machine that does other work, no thread may have run in a slice: such a round shows nothing.
            if (rate.All(r => r > 0))
                rates?.Add(rate);
        }
    }

    private static double RateOf(SliceThread[] workers, Turn turn, int engine)
    {
        turn.Give(engine);
        Thread.Sleep(Settling);
        long before = workers.Sum(worker => worker.DoneFor(engine));
        long start = Stopwatch.GetTimestamp();
        Thread.Sleep(Slice);
        long done = workers.Sum(worker => worker.DoneFor(engine)) - before;
        return done / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }
}
