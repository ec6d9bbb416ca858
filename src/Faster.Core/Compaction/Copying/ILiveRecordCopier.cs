namespace Faster.Compaction.Copying;

/// <summary>Copies the live records of the oldest part of a log, to wherever they go.</summary>
internal interface ILiveRecordCopier
{
    /// <summary>Copies the live records between two addresses that are safely immutable.</summary>
    /// <exception cref="FasterException">A record could not be read, or a log could not be written.</exception>
    /// <exception cref="OperationCanceledException">The run had to stop.</exception>
    CopyCounters Run(long begin, long until);
}
