using System.Diagnostics;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Workload.Writes;

namespace Faster.Workload.Experiments.Transactions;

/// <summary>Clients that run transactions of one kind, once.</summary>
internal sealed class TransactionRun
{
    private const double SampleInterval = 0.005;
    private static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(50), Settling = TimeSpan.FromMilliseconds(2);

    private readonly IReadOnlyList<ITransactionEngine> _engines;
    private readonly TransactionSettings _settings;
    private readonly TransactionCell _cell;
    private readonly WriteShape? _shape;
    private readonly Turn _turn = new();
    private readonly ITransactionClient[] _clients;

    /// <summary>Draws the keys.</summary>
    public TransactionRun(
        IReadOnlyList<ITransactionEngine> engines, TransactionSettings settings, TransactionCell cell)
    {
        (_engines, _settings, _cell) = (engines, settings, cell);
        if (cell.Form is not null && !WriteShape.TryParse(cell.Form, out _shape))
            throw new FormatException($"'{cell.Form}' is no form of transactions.");
        var picker = new ZipfKeys(settings.Keys, cell.Theta);
        _clients = [.. Enumerable.Range(1, cell.Threads).Select(
            seed => ClientOf(new TransactionStream(picker, settings.Keys, cell, (ulong)seed)))];
    }

    /// <summary>How many keys were updated, once it is over.</summary>
    public long UpdatesFor(int engine) => _clients.Sum(client => client.UpdatesFor(engine));

    /// <summary>Measures throughput and times.</summary>
    public TransactionCellResult Measure(string name)
    {
        Start();
        _ = RunRounds(_settings.WarmUpSeconds, _engines.Count);
        SetMeasured(true);
        long? conflicts = _engines[0].Conflicts;
        long done = DoneFor(0);
        List<double[]> rounds = RunRounds(_settings.Seconds, _engines.Count);
        done = DoneFor(0) - done;
        conflicts = _engines[0].Conflicts - conflicts;
        SetMeasured(false);
        bool isDivided = _settings.HasBreakdown && (conflicts is not null || !_engines[0].IsSerializable);
        TransactionBreakdown? breakdown = isDivided
            ? TransactionBreakdown.Of(rounds, _cell.Threads, MeasureConflicts())
            : null;
        Stop();
        var latencies = new LatencyHistogram();
        foreach (ITransactionClient client in _clients) latencies.Add(client.Latencies);
        MedianInterval? ratio = RatioTo(TransactionBreakdown.Bare, rounds);
        return new TransactionCellResult
        {
            Engine = name,
            Workload = _cell.Workload,
            Distribution = EnumNames.Of(KeyDistribution.Zipf),
            Keys = _settings.Keys,
            Threads = _cell.Threads,
            OperationsPerSecond = rounds.Average(round => round[0]),
            Size = _cell.Size,
            UpdatePercent = _cell.UpdatePercent,
            Theta = _cell.Theta,
            Latency = LatencyResult.Of(latencies, GroupSize),
            ConflictsPerThousand = conflicts is { } met ? 1000.0 * met / Math.Max(1, done) : null,
            BytesPerRecord = (double?)_engines[0].MemoryBytes / _settings.Keys,
            Ratio = ratio?.Median,
            RatioLow = ratio?.Low,
            RatioHigh = ratio?.High,
            CprRatio = RatioTo(TransactionBreakdown.Plain, rounds),
            Rounds = rounds.Count,
            Breakdown = breakdown,
            Form = _cell.Form,
            Asked = _cell.Asked ?? _cell.Form,
            Outstanding = _shape?.Outstanding,
        };
    }

    /// <summary>Measures throughput over time while the store commits.</summary>
    public async Task<TimelineResult> MeasureCommitsAsync(string name)
    {
        (Timeline timeline, List<CommitSpan> commits) = await SampleAsync(sampler => TimelineStep.CommitAsync(
            sampler, _settings.CommitTimes, _settings.Seconds, _engines[0].CommitAsync));
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

    /// <summary>Measures commits one after another, each beside as long a time without one.</summary>
    public async Task<CommitWindowsResult> MeasureWindowsAsync(string name)
    {
        (Timeline timeline, List<(CommitSpan Commit, double Quiet)> spans) = await SampleAsync(CommitInTurnsAsync);
        CommitWindow[] windows = [.. spans.Select(span => CommitWindow.Of(timeline, span.Commit, span.Quiet))];
        return new CommitWindowsResult
        {
            Engine = name,
            Workload = _cell.Workload,
            Distribution = EnumNames.Of(KeyDistribution.Zipf),
            Keys = _settings.Keys,
            Threads = _cell.Threads,
            OperationsPerSecond = windows.Average(window => window.PerSecond),
            Theta = _cell.Theta,
            Windows = windows,
        };
    }

    private MedianInterval? RatioTo(int engine, List<double[]> rounds) => _engines.Count > engine
        ? MedianInterval.Of(rounds.Select(round => round[TransactionBreakdown.Own] / round[engine]))
        : null;

    private int GroupSize => _shape?.Form == WriteForm.Batches ? _shape.Each : 1;

    private ITransactionClient ClientOf(TransactionStream stream) => _shape?.Form == WriteForm.Awaited
        ? new AwaitedTransactionClient(_engines[0], stream, _settings.Keys, _turn, _shape.Each)
        : new TransactionThread(_engines, stream, _settings.Keys, _turn, GroupSize) { TimesEach = _shape is not null };

    private async Task<(Timeline Timeline, List<T> Commits)> SampleAsync<T>(Func<Sampler, Task<List<T>>> commitAsync)
    {
        Start();
        await Task.Delay(TimeSpan.FromSeconds(_settings.WarmUpSeconds));
        using var sampler = new Sampler(SampleInterval, _settings.Seconds, () => (DoneFor(0), 0));
        List<T> commits = await commitAsync(sampler);
        Timeline timeline = sampler.Finish();
        Stop();
        return (timeline, commits);
    }

    // The first commit is not counted: its code is compiled.
    private async Task<List<(CommitSpan Commit, double Quiet)>> CommitInTurnsAsync(Sampler sampler)
    {
        var spans = new List<(CommitSpan, double)>();
        await _engines[0].CommitAsync();
        await Task.Delay(TimeSpan.FromSeconds(CommitWindow.After));
        for (int i = 0; i < _settings.Commits; i++)
        {
            double start = sampler.Now;
            await _engines[0].CommitAsync();
            var commit = new CommitSpan(start, sampler.Now);
            await Task.Delay(TimeSpan.FromSeconds(CommitWindow.After));
            double quiet = sampler.Now;
            await Task.Delay(TimeSpan.FromSeconds(commit.EndSeconds - start + CommitWindow.After));
            spans.Add((commit, quiet));
        }

        return spans;
    }

    // Apart from the rounds, which the timestamps would slow down.
    private double MeasureConflicts()
    {
        SetTimed(true);
        _ = RunRounds(_settings.Seconds, engines: 1);
        SetTimed(false);
        Stop();
        var costs = new ConflictCosts();
        foreach (TransactionThread thread in _clients.OfType<TransactionThread>()) costs.Add(thread.Conflicts);
        return costs.SecondsPerTransaction;

        void SetTimed(bool isTimed)
        {
            foreach (TransactionThread thread in _clients.OfType<TransactionThread>()) thread.TimesConflicts = isTimed;
        }
    }

    private void Start()
    {
        foreach (ITransactionClient client in _clients) client.Start();
    }

    private void Stop()
    {
        SetMeasured(false);
        _turn.Stop();
        foreach (ITransactionClient client in _clients) client.Join();
    }

    private void SetMeasured(bool isMeasured)
    {
        foreach (ITransactionClient client in _clients) client.IsMeasured = isMeasured;
    }

    private long DoneFor(int engine) => _clients.Sum(client => client.DoneFor(engine));

    // Each second round goes the other way, so that none always follows the other. At least one, in which all have run.
    private List<double[]> RunRounds(double seconds, int engines)
    {
        // What waits for a disk may end nothing in a short slice.
        TimeSpan slice = _shape is null ? Slice : TimeSpan.FromSeconds(seconds);
        var rates = new List<double[]>();
        long start = Stopwatch.GetTimestamp();
        for (int round = 0;
            Stopwatch.GetElapsedTime(start).TotalSeconds < seconds * engines || rates.Count == 0;
            round++)
        {
            if (_clients.Any(client => client.HasEnded)) Stop(); // throws what it failed with
            double[] rate = new double[engines];
            for (int i = 0; i < rate.Length; i++)
            {
                int engine = round % 2 == 0 ? i : rate.Length - 1 - i;
                _turn.Give(engine);
                Thread.Sleep(Settling);
                long before = DoneFor(engine), begin = Stopwatch.GetTimestamp();
                Thread.Sleep(slice);
                rate[engine] = (DoneFor(engine) - before) / Stopwatch.GetElapsedTime(begin).TotalSeconds;
            }

            if (rate.All(r => r > 0)) rates.Add(rate); // a busy machine may run no thread in a slice
        }

        return rates;
    }
}
