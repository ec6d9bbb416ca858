using System.Diagnostics;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;

namespace Faster.Workload.Experiments.Transactions;

/// <summary>Threads that run transactions of one kind, once.</summary>
internal sealed class TransactionRun
{
    private const double SampleInterval = 0.005;

    private readonly IReadOnlyList<ITransactionEngine> _engines;
    private readonly TransactionSettings _settings;
    private readonly TransactionCell _cell;
    private readonly Turn _turn = new();
    private readonly TransactionThread[] _threads;

    /// <summary>Draws the keys.</summary>
    public TransactionRun(
        IReadOnlyList<ITransactionEngine> engines, TransactionSettings settings, TransactionCell cell)
    {
        (_engines, _settings, _cell) = (engines, settings, cell);
        var picker = new ZipfKeys(settings.Keys, cell.Theta);
        _threads = [.. Enumerable.Range(1, cell.Threads).Select(seed => new TransactionThread(
            engines, new TransactionStream(picker, settings.Keys, cell, (ulong)seed), settings.Keys, _turn))];
    }

    /// <summary>How many keys were updated, once it is over.</summary>
    public long UpdatesFor(int engine) => _threads.Sum(thread => thread.UpdatesFor(engine));

    /// <summary>Measures throughput and times.</summary>
    public TransactionCellResult Measure(string name, TimeSpan slice, TimeSpan settling)
    {
        Start();
        _ = RunRounds(_settings.WarmUpSeconds, slice, settling);
        SetMeasured(true);
        long? conflicts = _engines[0].Conflicts;
        long done = DoneFor(0);
        List<double[]> rates = RunRounds(_settings.Seconds * _engines.Count, slice, settling);
        done = DoneFor(0) - done;
        conflicts = _engines[0].Conflicts - conflicts;
        Stop();
        var latencies = new LatencyHistogram();
        foreach (TransactionThread thread in _threads) latencies.Add(thread.Latencies);
        double[] own = [.. rates.Select(round => round[0])];
        double[] ratios = [.. rates.Where(_ => _engines.Count > 1).Select(round => round[0] / round[1]).Order()];
        return new TransactionCellResult
        {
            Engine = name,
            Workload = _cell.Workload,
            Distribution = EnumNames.Of(KeyDistribution.Zipf),
            Keys = _settings.Keys,
            Threads = _cell.Threads,
            OperationsPerSecond = own.Average(),
            Size = _cell.Size,
            UpdatePercent = _cell.UpdatePercent,
            Theta = _cell.Theta,
            Latency = LatencyResult.Of(latencies, 1),
            ConflictsPerThousand = conflicts is { } met ? 1000.0 * met / Math.Max(1, done) : null,
            BytesPerRecord = (double?)_engines[0].MemoryBytes / _settings.Keys,
            Ratio = ratios.Length == 0 ? null : ratios[ratios.Length / 2],
            RatioLow = EndOf(ratios, -1),
            RatioHigh = EndOf(ratios, 1),
            Rounds = rates.Count,
        };
    }

    /// <summary>Measures throughput over time while the store commits.</summary>
    public async Task<TimelineResult> MeasureCommitsAsync(string name)
    {
        Start();
        await Task.Delay(TimeSpan.FromSeconds(_settings.WarmUpSeconds));
        using var sampler = new Sampler(SampleInterval, _settings.Seconds, () => (DoneFor(0), 0));
        List<CommitSpan> commits = await TimelineStep.CommitAsync(
            sampler, _settings.CommitTimes, _settings.Seconds, _engines[0].CommitAsync);
        Timeline timeline = sampler.Finish();
        Stop();
        return TimelineStep.ResultOf(timeline, _settings.Bin, commits) with
        {
            Engine = name,
            Workload = _cell.Workload,
            Distribution = EnumNames.Of(KeyDistribution.Zipf),
            Keys = _settings.Keys,
            Threads = _cell.Threads,
            Kind = "full",
        };
    }

    // The median's interval of confidence of 95 %, from the order of the rounds.
    private static double? EndOf(double[] ratios, int side)
    {
        if (ratios.Length == 0) return null;
        int middle = ratios.Length / 2, away = (int)Math.Ceiling(0.98 * Math.Sqrt(ratios.Length));
        return ratios[Math.Clamp(middle + (side * away), 0, ratios.Length - 1)];
    }

    private void Start()
    {
        foreach (TransactionThread thread in _threads) thread.Start();
    }

    private void Stop()
    {
        SetMeasured(false);
        _turn.Stop();
        foreach (TransactionThread thread in _threads) thread.Join();
    }

    private void SetMeasured(bool isMeasured)
    {
        foreach (TransactionThread thread in _threads) thread.IsMeasured = isMeasured;
    }

    private long DoneFor(int engine) => _threads.Sum(thread => thread.DoneFor(engine));

    // Each second round goes the other way, so that none always follows the other. At least one, in which all have run.
    private List<double[]> RunRounds(double seconds, TimeSpan slice, TimeSpan settling)
    {
        var rates = new List<double[]>();
        long start = Stopwatch.GetTimestamp();
        for (int round = 0; Stopwatch.GetElapsedTime(start).TotalSeconds < seconds || rates.Count == 0; round++)
        {
            if (_threads.Any(thread => thread.HasEnded)) Stop(); // throws what it failed with
            double[] rate = new double[_engines.Count];
            for (int i = 0; i < rate.Length; i++)
            {
                int engine = round % 2 == 0 ? i : rate.Length - 1 - i;
                _turn.Give(engine);
                Thread.Sleep(settling);
                long before = DoneFor(engine), begin = Stopwatch.GetTimestamp();
                Thread.Sleep(slice);
                rate[engine] = (DoneFor(engine) - before) / Stopwatch.GetElapsedTime(begin).TotalSeconds;
            }

            if (rate.All(r => r > 0)) rates.Add(rate); // a busy machine may run no thread in a slice
        }

        return rates;
    }
}
