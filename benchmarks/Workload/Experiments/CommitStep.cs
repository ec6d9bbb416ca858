using System.Diagnostics;
using Faster.Workload.Cells;

namespace Faster.Workload.Experiments;

/// <summary>
/// Takes one full commit of a store, at rest or under load. An incremental one has a whole one before it, and at rest
/// an update of a tenth of the keys in between.
/// </summary>
internal static class CommitStep
{
    /// <summary>The time over which throughput is lowest, in seconds.</summary>
    public const double WorstWindow = 0.05;

    /// <summary>The time between two samples, in seconds.</summary>
    public const double SampleInterval = 0.01;

    private static readonly TimeSpan AfterCommit = TimeSpan.FromSeconds(0.5);

    /// <summary>Runs once, in an empty folder, and leaves the closed store behind there.</summary>
    public static async Task<CommitResult> RunAsync(ICommitEngineSource source, string folder, StepSettings settings)
    {
        await using ICommitEngine engine = await source.CreateAsync(folder, SizeOf(settings));
        AnswerCheck.Load(engine, settings.Keys);
        double? baseSeconds = null;
        if (settings.Form == CommitForm.Incremental)
        {
            baseSeconds = await TimeAsync(() => engine.CommitAsync(settings.Form, withIndex: true));
            if (settings.Threads == 0)
                AnswerCheck.UpdateFirst(engine, RecoverStep.UpdatedKeys(settings));
        }

        CommitResult result = settings.Threads == 0
            ? await AtRestAsync(source.Name, engine, settings)
            : await UnderLoadAsync(source.Name, engine, settings);
        return result with { BaseSeconds = baseSeconds };
    }

    /// <summary>The memory that the store of a step needs.</summary>
    public static StoreSize SizeOf(StepSettings settings) => StoreSize.ForCommits(settings.Keys, commits: 2);

    /// <summary>The time that something takes, in seconds.</summary>
    public static async Task<double> TimeAsync(Func<Task> action)
    {
        long start = Stopwatch.GetTimestamp();
        await action();
        return Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    private static async Task<CommitResult> AtRestAsync(string name, ICommitEngine engine, StepSettings settings)
    {
        long? before = IOCounters.BytesWritten();
        double seconds = await TimeAsync(() => engine.CommitAsync(settings.Form, withIndex: true));
        return Result(name, settings, operationsPerSecond: 0, seconds, IOCounters.BytesWritten() - before);
    }

    private static async Task<CommitResult> UnderLoadAsync(string name, ICommitEngine engine, StepSettings settings)
    {
        Workers workers = await Workers.StartAsync(engine, settings);
        using var sampler = new Sampler(SampleInterval, settings.Seconds, () => (workers.Done, engine.LogBytes));
        await Task.Delay(TimeSpan.FromSeconds(settings.Seconds));
        long? before = IOCounters.BytesWritten();
        double start = sampler.Now;
        await engine.CommitAsync(settings.Form, withIndex: true);
        double end = sampler.Now;
        long? written = IOCounters.BytesWritten() - before;
        await Task.Delay(AfterCommit);
        Timeline timeline = sampler.Finish();
        workers.Stop();
        return Result(name, settings, timeline.Rate(start, end), end - start, written) with
        {
            BeforePerSecond = timeline.Rate(0, start),
            WorstPerSecond = timeline.Worst(start, end, WorstWindow),
            LongestGapSeconds = timeline.LongestGap(start, end),
        };
    }

    private static CommitResult Result(
        string name, StepSettings settings, double operationsPerSecond, double seconds, long? bytes) => new()
        {
            Engine = name,
            Workload = settings.Mix.Name,
            Distribution = EnumNames.Of(settings.Distribution),
            Keys = settings.Keys,
            Threads = settings.Threads,
            OperationsPerSecond = operationsPerSecond,
            Kind = FormNames.Of(settings.Form),
            CommitSeconds = seconds,
            BytesWritten = bytes,
        };
}
