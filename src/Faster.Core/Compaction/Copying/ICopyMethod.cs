namespace Faster.Compaction.Copying;

/// <summary>How the threads of a run take records from the log to their copies: the stages, put together.</summary>
/// <remarks>Thread-safe: each thread makes stages of its own.</remarks>
internal interface ICopyMethod
{
    /// <summary>Copies live records of the pages that the calling thread takes from the run's frontier.</summary>
    /// <param name="run">The run.</param>
    /// <param name="mustStop">Whether the thread must stop.</param>
    /// <param name="counters">Counts what the thread examines and copies.</param>
    void CopyPages(CopyRun run, Func<bool> mustStop, CopyCounters counters);

    /// <summary>Makes the first of the stages for a record above the range whose value begins in it.</summary>
    ICopyStage ForStraddling(CopyThread thread);
}
