namespace Faster.Workload.Experiments;

/// <summary>
/// Lets threads work on a store, takes full commits meanwhile, and records throughput and log over time.
/// </summary>
internal static class TimelineStep
{
    // What sessions must do once after a commit, as to copy a record, takes its time after the end.
    private const double AfterCommit = 0.5, BeforeCommit = 1;

    /// <summary>Runs once, in an empty folder.</summary>
    /// <exception cref="WrongAnswerException">The engine lost, made up or confused a value.</exception>
    public static async Task<TimelineResult> RunAsync(ICommitEngineSource source, string folder, StepSettings settings)
    {
        IReadOnlyList<double> times = settings.CommitTimes ?? [];
        StoreSize size = StoreSize.ForCommits(settings.Keys, times.Count + 1);
        await using ICommitEngine engine = await source.CreateAsync(folder, size);
        AnswerCheck.Load(engine, settings.Keys);
        Workers workers = await Workers.StartAsync(engine, settings);
        using var sampler = new Sampler(
            CommitStep.SampleInterval, settings.Seconds, () => (workers.Done, engine.LogBytes));
        List<CommitSpan> commits = await CommitAsync(
            sampler, times, settings.Seconds, () => engine.CommitAsync(settings.Form, withIndex: true));
        Timeline timeline = sampler.Finish();
        workers.Stop();
        Check(engine, settings, workers.Done);
        return ResultOf(timeline, settings.Bin, commits) with
        {
            Engine = source.Name,
            Workload = settings.Mix.Name,
            Distribution = EnumNames.Of(settings.Distribution),
            Keys = settings.Keys,
            Threads = settings.Threads,
            Kind = FormNames.Of(settings.Form),
        };
    }

    /// <summary>Has a store commit at times, and waits until a run is over and the last commit's effects are.</summary>
    /// <param name="sampler">Looks at the run.</param>
    /// <param name="times">When commits begin, in seconds.</param>
    /// <param name="seconds">How long the run lasts at least.</param>
    /// <param name="commitAsync">Commits, until the commit is durable.</param>
    public static async Task<List<CommitSpan>> CommitAsync(
        Sampler sampler, IReadOnlyList<double> times, double seconds, Func<Task> commitAsync)
    {
        var commits = new List<CommitSpan>();
        foreach (double time in times)
        {
            await UntilAsync(sampler, time);
            double start = sampler.Now;
            await commitAsync();
            commits.Add(new CommitSpan(start, sampler.Now));
        }

        await UntilAsync(sampler, seconds);
        if (commits.Count > 0) await UntilAsync(sampler, commits[^1].EndSeconds + AfterCommit);
        return commits;
    }

    /// <summary>What a run shows; the caller says what it was.</summary>
    public static TimelineResult ResultOf(Timeline timeline, double bin, IReadOnlyList<CommitSpan> commits)
    {
        IReadOnlyList<Sample> samples = timeline.EachBin(bin);
        IEnumerable<double> rates = samples.Zip(
            samples.Skip(1), (a, b) => (b.Operations - a.Operations) / (b.Seconds - a.Seconds));
        return new TimelineResult
        {
            Engine = "",
            Workload = "",
            Distribution = "",
            Keys = 0,
            Threads = 0,
            OperationsPerSecond = timeline.Rate(samples[0].Seconds, samples[^1].Seconds),
            Kind = "",
            Commits = [.. commits.Select(commit => Around(timeline, commit))],
            Seconds = [.. samples.Skip(1).Select(s => Round(s.Seconds))],
            BinPerSecond = [.. rates.Select(r => Math.Round(r))],
            LogBytes = [.. samples.Skip(1).Select(s => s.LogBytes)],
        };
    }

    private static async Task UntilAsync(Sampler sampler, double time)
    {
        double wait = time - sampler.Now;
        if (wait > 0)
            await Task.Delay(TimeSpan.FromSeconds(wait));
    }

    private static void Check(ICommitEngine engine, StepSettings settings, long operations)
    {
        if (settings.Mix.IsRmw)
            AnswerCheck.CheckGrowth(engine, settings.Keys, operations);
        else
            AnswerCheck.CheckOneOfTwo(engine, settings.Keys);
    }

    private static CommitSpan Around(Timeline timeline, CommitSpan commit) =>
        new(Round(commit.StartSeconds), Round(commit.EndSeconds))
        {
            BeforePerSecond = Math.Round(
                timeline.Rate(Math.Max(commit.StartSeconds - BeforeCommit, 0), commit.StartSeconds)),
            WorstPerSecond = Math.Round(timeline.Worst(
                commit.StartSeconds, commit.EndSeconds + AfterCommit, CommitStep.WorstWindow)),
        };

    private static double Round(double seconds) => Math.Round(seconds, 4);
}
