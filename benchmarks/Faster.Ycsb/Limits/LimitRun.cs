using System.Diagnostics;
using System.Runtime.ExceptionServices;

namespace Faster.Ycsb.Limits;

/// <summary>Lets threads repeat a loop for a while, and counts the operations.</summary>
internal static class LimitRun
{
    private const long ThreadSpan = 1L << 40;
    private const double MaxWarmUp = 0.5;

    /// <summary>The operations a second, of all threads together.</summary>
    /// <param name="threads">How many threads.</param>
    /// <param name="seconds">How long; as much before, half a second at most, is not counted.</param>
    /// <param name="chunk">How many operations come between two looks at the clock.</param>
    /// <param name="loopOf">Makes each thread's loop.</param>
    public static double Measure(int threads, double seconds, int chunk, Func<int, LimitLoop> loopOf)
    {
        using var started = new Barrier(threads);
        var rates = new double[threads];
        Exception? failure = null;
        Thread[] all = [.. Enumerable.Range(0, threads).Select(thread => new Thread(() =>
        {
            try
            {
                LimitLoop loop = loopOf(thread);
                started.SignalAndWait();
                long first = thread * ThreadSpan;
                _ = Repeat(loop, ref first, chunk, Math.Min(seconds, MaxWarmUp));
                rates[thread] = Repeat(loop, ref first, chunk, seconds);
            }
            catch (Exception e)
            {
                failure = e;
                started.RemoveParticipant();
            }
        }))];
        foreach (Thread thread in all)
            thread.Start();
        foreach (Thread thread in all)
            thread.Join();
        if (failure is not null)
            ExceptionDispatchInfo.Throw(failure);
        return rates.Sum();
    }

    private static double Repeat(LimitLoop loop, ref long first, int chunk, double seconds)
    {
        long start = Stopwatch.GetTimestamp();
        long done = 0;
        long sink = 0;
        TimeSpan elapsed;
        do
        {
            sink ^= loop(first, chunk);
            first += chunk;
            done += chunk;
            elapsed = Stopwatch.GetElapsedTime(start);
        }
        while (elapsed.TotalSeconds < seconds);
        GC.KeepAlive(sink);
        return done / elapsed.TotalSeconds;
    }
}
