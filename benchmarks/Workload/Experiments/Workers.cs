namespace Faster.Workload.Experiments;

/// <summary>
/// The threads that work on an engine during a step, each with a session and a key stream of its own.
/// </summary>
internal sealed class Workers
{
    private readonly WorkThread[] _threads;

    private Workers(WorkThread[] threads) => _threads = threads;

    /// <summary>How many operations are done; any thread may ask at any time.</summary>
    public long Done
    {
        get
        {
            long done = 0;
            foreach (WorkThread thread in _threads)
                done += thread.Done;
            return done;
        }
    }

    /// <summary>Draws keys, starts the threads and lets them warm up.</summary>
    public static async Task<Workers> StartAsync(IEngine engine, StepSettings settings)
    {
        ChunkWork work = settings.Mix.Work;
        var workers = new Workers(
            [.. settings.Mix.Draw(settings).Select(stream => new WorkThread(engine, work, stream))]);
        foreach (WorkThread thread in workers._threads)
            thread.Start();
        await Task.Delay(TimeSpan.FromSeconds(settings.WarmUpSeconds));
        return workers;
    }

    /// <summary>Stops the threads, and rethrows what one of them failed with.</summary>
    public void Stop()
    {
        foreach (WorkThread thread in _threads)
            thread.RequestStop();
        foreach (WorkThread thread in _threads)
            thread.Join();
    }
}
