namespace Faster.Compaction.Copying;

/// <summary>One thread's share of a run of a copier: it belongs to the thread that has created it.</summary>
internal interface ICopyWorker : IDisposable
{
    /// <summary>The records and bytes that the worker has examined and copied.</summary>
    CopyCounters Counters { get; }

    /// <summary>Copies the live records of the pages that the worker takes from the frontier.</summary>
    void CopyPages(PageFrontier frontier);
}
