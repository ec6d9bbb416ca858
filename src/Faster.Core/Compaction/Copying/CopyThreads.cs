using System.Runtime.ExceptionServices;
using Faster.Threads;

namespace Faster.Compaction.Copying;

/// <summary>Runs a copier on several threads. No state.</summary>
internal static class CopyThreads
{
    /// <summary>
    /// Copies the pages of a frontier on the caller's thread and others, and waits for all of them. The first failure
    /// stops all.
    /// </summary>
    /// <param name="frontier">The pages.</param>
    /// <param name="threads">The number of threads, including the caller's.</param>
    /// <param name="mustStop">Whether the run must end early.</param>
    /// <param name="newWorker">
    /// Makes a worker, on its thread, of a function that says whether it must stop: as above, or another has failed.
    /// </param>
    /// <returns>What all threads have done.</returns>
    public static CopyCounters Run(
        PageFrontier frontier, int threads, Func<bool> mustStop, Func<Func<bool>, ICopyWorker> newWorker)
    {
        ExceptionDispatchInfo? failure = null;
        bool Stops() => Volatile.Read(ref failure) is not null || mustStop();

        // Never throws: whatever a thread still uses stays until all have ended.
        CopyCounters CopyPages()
        {
            try
            {
                using ICopyWorker worker = newWorker(Stops);
                worker.CopyPages(frontier);
                return worker.Counters;
            }
            catch (Exception e)
            {
                Interlocked.CompareExchange(ref failure, ExceptionDispatchInfo.Capture(e), null);
                return new CopyCounters();
            }
        }

        int others = (int)Math.Max(Math.Min(threads, frontier.Pages) - 1, 0);
        Task<CopyCounters>[] running = [.. Enumerable.Range(0, others).Select(_ => BackgroundTasks.Run(CopyPages))];
        CopyCounters counters = CopyPages();
        foreach (Task<CopyCounters> worker in running) counters.Add(worker.GetAwaiter().GetResult());
        failure?.Throw();
        return counters;
    }
}
