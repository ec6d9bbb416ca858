using System.Diagnostics;

namespace Faster.Workload.Cells;

/// <summary>Lets threads work on a loaded engine for a while, and counts what they did.</summary>
/// <param name="engine">The engine.</param>
/// <param name="workload">What they do.</param>
/// <param name="mark">The mark of blind updates in this cell.</param>
/// <param name="device">The device below the engine's files, or null.</param>
internal sealed class CellRun(IEngine engine, YcsbWorkload workload, long mark, string? device)
{
    /// <summary>Of all threads together, while it was measured.</summary>
    public double OperationsPerSecond { get; private set; }

    /// <summary>How many operations were measured.</summary>
    public long Operations { get; private set; }

    /// <summary>The times of calls.</summary>
    public LatencyHistogram Latencies { get; } = new();

    /// <summary>How many operations a call carries out.</summary>
    public int CallLength { get; private set; }

    /// <summary>The counts when measuring began and when it ended; null where the system does not tell.</summary>
    public (IOCounters Before, IOCounters After)? IO { get; private set; }

    /// <summary>How many operations each thread has done, the warm-up included.</summary>
    public IReadOnlyList<long> Done { get; private set; } = [];

    /// <summary>Runs once.</summary>
    /// <exception cref="WrongAnswerException">A value that was read is wrong.</exception>
    public void Run(KeyStream[] streams, double warmUpSeconds, double seconds)
    {
        using (IWorker worker = engine.StartWorker())
            CallLength = worker.CallLength;
        WorkThread[] threads = [.. streams.Select(s => new CellThread(engine, workload, s, mark).Thread)];
        foreach (WorkThread thread in threads)
            thread.Start();
        Thread.Sleep(TimeSpan.FromSeconds(warmUpSeconds));
        foreach (WorkThread thread in threads)
            thread.StartSampling();

        IOCounters? ioBefore = IOCounters.Now(device);
        long before = threads.Sum(t => t.Done);
        long start = Stopwatch.GetTimestamp();
        do Thread.Sleep(TimeSpan.FromSeconds(seconds));
        while (!threads.All(t => t.HasSampled)); // on a busy machine a thread may not run for as long
        Operations = threads.Sum(t => t.Done) - before;
        OperationsPerSecond = Operations / Stopwatch.GetElapsedTime(start).TotalSeconds;
        if (ioBefore is { } first && IOCounters.Now(device) is { } last)
            IO = (first, last);

        foreach (WorkThread thread in threads)
            thread.RequestStop();
        foreach (WorkThread thread in threads)
            thread.Join();
        foreach (WorkThread thread in threads)
            Latencies.Add(thread.Latencies);
        Done = [.. threads.Select(t => t.Done)];
    }
}
