using System.Diagnostics;
using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Workload.Writes;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Inside;

/// <summary>
/// One thread reads as fast as it can, beside a session whose awaited writes keep to a pace: of an engine and of a
/// yardstick in turns, so that what the machine does meanwhile meets both alike.
/// </summary>
/// <param name="Engine">The engine, loaded.</param>
/// <param name="Yardstick">What it is compared with, loaded.</param>
/// <param name="Keys">How many keys each has.</param>
internal sealed record PacedExperiment(
    (string Name, IDurableEngine Store) Engine, (string Name, IDurableEngine Store) Yardstick, int Keys)
{
    // So many that the pause of a millisecond between two looks at the pace does not hold the writer up.
    private const int Depth = 1024;
    private const double SettlingSeconds = 0.05;
    private const int SlicesToWarmUp = 2, SlicesToFindPace = 5;

    /// <summary>How long an engine works before it is the other's turn.</summary>
    public required double SliceSeconds { get; init; }

    /// <summary>Measures one pace.</summary>
    /// <param name="distribution">How keys are drawn.</param>
    /// <param name="percent">The part of the operations that writes, in percent.</param>
    /// <param name="seconds">How long, without the warm-up and the search for the pace.</param>
    /// <exception cref="WrongAnswerException">A value is wrong.</exception>
    public async Task<PacedResult> RunAsync(KeyDistribution distribution, int percent, double seconds)
    {
        KeyStream[] streams = new KeyDraw(Keys, distribution).Streams(2);
        double perRead = percent / (100.0 - percent);
        List<double> paces = [];
        for (int i = 0; i < SlicesToWarmUp + SlicesToFindPace; i++)
        {
            if (i < SlicesToWarmUp)
                _ = await SliceAsync(Yardstick.Store, streams, (reads, _) => (long)(reads * perRead));
            (_, double found) = await SliceAsync(Engine.Store, streams, (reads, _) => (long)(reads * perRead));
            if (i >= SlicesToWarmUp)
                paces.Add(found);
        }

        double pace = Spread.Of(paces).Median;
        List<(double Engine, double Yardstick)> reads = [];
        List<double> writes = [];
        long start = Stopwatch.GetTimestamp();
        while (reads.Count == 0 || Stopwatch.GetElapsedTime(start).TotalSeconds < seconds)
        {
            double[] rates = new double[2];
            foreach (int turn in reads.Count % 2 == 0 ? new[] { 0, 1 } : [1, 0]) // each goes first every other time
            {
                IDurableEngine store = turn == 0 ? Engine.Store : Yardstick.Store;
                (rates[turn], double written) = await SliceAsync(store, streams, (_, time) => (long)(time * pace));
                if (turn == 0)
                    writes.Add(written);
            }

            reads.Add((rates[0], rates[1]));
        }

        AnswerCheck.CheckOneOfTwo(Engine.Store, Keys);
        AnswerCheck.CheckOneOfTwo(Yardstick.Store, Keys);
        return ResultOf(distribution, percent, reads, Spread.Of(writes).Median);
    }

    private PacedResult ResultOf(
        KeyDistribution distribution, int percent, List<(double Engine, double Yardstick)> reads, double writes)
    {
        double[] ratios = [.. reads.Select(r => r.Engine / r.Yardstick).Order()];
        double At(double part) => ratios[(int)Math.Round(part * (ratios.Length - 1))];
        double own = Spread.Of(reads.Select(r => r.Engine)).Median;
        return new PacedResult
        {
            Engine = Engine.Name,
            Workload = "c",
            Distribution = EnumNames.Of(distribution),
            Keys = Keys,
            Threads = 1,
            OperationsPerSecond = own,
            Yardstick = Yardstick.Name,
            YardstickPerSecond = Spread.Of(reads.Select(r => r.Yardstick)).Median,
            WritesPerSecond = writes,
            AskedPercent = percent,
            WrittenPercent = Math.Round(100 * writes / (writes + own), 1),
            Ratio = At(0.5),
            RatioP10 = At(0.1),
            RatioP90 = At(0.9),
            Rounds = ratios.Length,
        };
    }

    // Allowed: how many writes may have begun after so many reads and so many seconds.
    private async Task<(double Reads, double Writes)> SliceAsync(
        IDurableEngine store, KeyStream[] streams, Func<long, double, long> allowed)
    {
        long begin = Stopwatch.GetTimestamp();
        WorkThread reader = new CellThread(store, YcsbWorkload.Known("c"), streams[0], mark: 0).Thread;
        var writer = new WriteSession(store, new WriteShape(WriteForm.Awaited, 1, Depth), streams[1])
        {
            Allowed = () => allowed(reader.Done, Stopwatch.GetElapsedTime(begin).TotalSeconds),
        };
        reader.Start();
        writer.Start();
        await Task.Delay(TimeSpan.FromSeconds(SettlingSeconds));
        (long Reads, long Writes) before = (reader.Done, writer.Done);
        long start = Stopwatch.GetTimestamp();
        await Task.Delay(TimeSpan.FromSeconds(SliceSeconds));
        (long reads, long writes) = (reader.Done - before.Reads, writer.Done - before.Writes);
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        reader.RequestStop();
        writer.RequestStop();
        reader.Join();
        await writer.JoinAsync();
        return (reads / seconds, writes / seconds);
    }
}
