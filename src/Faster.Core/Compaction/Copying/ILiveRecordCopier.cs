namespace Faster.Compaction.Copying;

/// <summary>Copies the live records of the oldest part of a log, to wherever they go.</summary>
internal interface ILiveRecordCopier
{
    /// <summary>Copies the live records between two addresses that are safely immutable.</summary>
    /// <param name="begin">The first address.</param>
    /// <param name="until">The end, the start of a page.</param>
    /// <param name="maxCopied">The bytes of copies after which the run ends early, at the end of a page.</param>
    /// <returns>What was done, and how far.</returns>
    /// <exception cref="FasterException">A record could not be read, or a log could not be written.</exception>
    /// <exception cref="OperationCanceledException">The run had to stop.</exception>
    (CopyCounters Counters, long Reached) Run(long begin, long until, long maxCopied);
}
