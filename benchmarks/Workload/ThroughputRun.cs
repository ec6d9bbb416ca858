using System.Diagnostics;

namespace Faster.Workload;

/// <summary>
/// Loads an engine, lets threads work on it for a while, counts what they did and checks the answers.
/// </summary>
internal static class ThroughputRun
{
    /// <summary>Runs once.</summary>
    /// <exception cref="WrongAnswerException">The engine lost, made up or confused a value.</exception>
    public static Measurement Run(IEngine engine, RunSettings settings)
    {
        AnswerCheck.Load(engine, settings.Keys);
        WorkThread[] threads = [.. KeyStream.Draw(settings).Select(
            stream => new WorkThread(engine, WorkOf(settings.Operation), stream))];
        foreach (WorkThread thread in threads)
            thread.Start();

        Thread.Sleep(TimeSpan.FromSeconds(settings.WarmUpSeconds));
        long before = Total(threads);
        long start = Stopwatch.GetTimestamp();
        Thread.Sleep(TimeSpan.FromSeconds(settings.Seconds));
        long after = Total(threads);
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);

        foreach (WorkThread thread in threads)
            thread.RequestStop();
        foreach (WorkThread thread in threads)
            thread.Join();
        AnswerCheck.Check(engine, settings, [.. threads.Select(t => t.Stream)], Total(threads));
        return new Measurement(
            engine.Name, NameOf(settings.Operation), NameOf(settings.Distribution), settings.Keys, settings.Threads,
            (after - before) / elapsed.TotalSeconds);
    }

    /// <summary>How a run's operation or distribution is written on command lines and in results.</summary>
    public static string NameOf<T>(T value) where T : struct, Enum => value.ToString().ToLowerInvariant();

    private static ChunkWork WorkOf(OperationKind operation) => operation switch
    {
        OperationKind.Read => (worker, keys) => AnswerCheck.CheckSum(worker.Read(keys), keys),
        OperationKind.Upsert => (worker, keys) => worker.Upsert(keys, AnswerCheck.UpsertMask),
        _ => (worker, keys) => worker.Rmw(keys),
    };

    private static long Total(WorkThread[] threads) => threads.Sum(t => t.Done);
}
