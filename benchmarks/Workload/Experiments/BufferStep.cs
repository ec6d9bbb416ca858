using System.Diagnostics;

namespace Faster.Workload.Experiments;

/// <summary>
/// The end-to-end experiment (paper 004 §6.2, Fig. 11): one full commit, then clients whose buffers of operations in
/// flight are trimmed by log-only fold-over commits.
/// </summary>
internal static class BufferStep
{
    private const long MaxLogGrowthPerSecond = 320L << 20;

    /// <summary>Runs once, in an empty folder.</summary>
    /// <exception cref="WrongAnswerException">The engine lost, made up or confused a value.</exception>
    /// <exception cref="NotSupportedException">The engine's sessions do not tell what is durable.</exception>
    public static async Task<BufferResult> RunAsync(ICommitEngineSource source, string folder, StepSettings settings)
    {
        double seconds = settings.WarmUpSeconds + settings.Seconds;
        StoreSize size = StoreSize.ForGrowth(settings.Keys, seconds, MaxLogGrowthPerSecond);
        await using ICommitEngine engine = await source.CreateAsync(folder, size);
        AnswerCheck.Load(engine, settings.Keys);
        await engine.CommitAsync(CommitForm.FoldOver, withIndex: true);

        var committer = new Committer(engine);
        var clients = new BufferedClient[settings.Threads];
        for (int i = 0; i < clients.Length; i++)
            clients[i] = new BufferedClient(settings.BufferBytes, committer);
        WorkThread[] threads =
        [
            .. settings.Mix.Draw(settings).Zip(
                clients, (stream, client) => new WorkThread(engine, client.Work, stream)),
        ];
        committer.Start();
        foreach (WorkThread thread in threads)
            thread.Start();
        await Task.Delay(TimeSpan.FromSeconds(settings.WarmUpSeconds));
        Totals before = Totals.Of(threads, clients, committer);
        await Task.Delay(TimeSpan.FromSeconds(settings.Seconds));
        Totals during = Totals.Of(threads, clients, committer) - before;

        foreach (WorkThread thread in threads)
            thread.RequestStop();
        await committer.DisposeAsync();
        foreach (WorkThread thread in threads)
            thread.Join();
        AnswerCheck.CheckOneOfTwo(engine, settings.Keys);
        return Result(source.Name, settings, during);
    }

    private static BufferResult Result(string name, StepSettings settings, Totals during) => new()
    {
        Engine = name,
        Workload = settings.Mix.Name,
        Distribution = EnumNames.Of(settings.Distribution),
        Keys = settings.Keys,
        Threads = settings.Threads,
        OperationsPerSecond = during.Operations / during.Seconds,
        BufferBytes = settings.BufferBytes,
        Commits = during.Commits,
        IntervalSeconds = during.Seconds / Math.Max(during.Commits, 1),
        CommitSeconds = during.CommitSeconds / Math.Max(during.Commits, 1),
        BlockedFraction = during.BlockedSeconds / (during.Seconds * settings.Threads),
    };

    /// <summary>What had been counted at a moment, or between two.</summary>
    private readonly record struct Totals(
        double Seconds, long Operations, int Commits, double CommitSeconds, double BlockedSeconds)
    {
        public static Totals Of(WorkThread[] threads, BufferedClient[] clients, Committer committer)
        {
            (int commits, double commitSeconds) = committer.Totals;
            return new Totals(
                (double)Stopwatch.GetTimestamp() / Stopwatch.Frequency, threads.Sum(t => t.Done), commits,
                commitSeconds, clients.Sum(c => c.BlockedSeconds));
        }

        public static Totals operator -(Totals a, Totals b) => new(
            a.Seconds - b.Seconds, a.Operations - b.Operations, a.Commits - b.Commits,
            a.CommitSeconds - b.CommitSeconds, a.BlockedSeconds - b.BlockedSeconds);
    }
}
