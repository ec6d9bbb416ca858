using System.Runtime.ExceptionServices;
using Faster.Threads;

namespace Faster.Compaction.Copying;

/// <summary>Runs a copy on several threads. No state.</summary>
internal static class CopyThreads
{
    /// <summary>
    /// Copies the pages of a run on the caller's thread and others, and waits for all of them. The first failure stops
    /// all.
    /// </summary>
    /// <returns>What all threads have done.</returns>
    public static CopyCounters Run(CopyRun run, ICopyMethod method)
    {
        ExceptionDispatchInfo? failure = null;
        bool MustStop() => Volatile.Read(ref failure) is not null || run.Route.MustStop();

        // Never throws: whatever a thread still uses stays until all have ended.
        CopyCounters CopyPages()
        {
            var counters = new CopyCounters();
            try
            {
                method.CopyPages(run, MustStop, counters);
            }
            catch (Exception e)
            {
                Interlocked.CompareExchange(ref failure, ExceptionDispatchInfo.Capture(e), null);
            }

            return counters;
        }

        int others = (int)Math.Max(Math.Min(run.Route.Threads, run.Frontier.Pages) - 1, 0);
        Task<CopyCounters>[] running = [.. Enumerable.Range(0, others).Select(_ => BackgroundTasks.Run(CopyPages))];
        CopyCounters counters = CopyPages();
        foreach (Task<CopyCounters> worker in running) counters.Add(worker.GetAwaiter().GetResult());
        failure?.Throw();
        return counters;
    }
}
