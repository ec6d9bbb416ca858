namespace Faster.OperationLogs;

/// <summary>Is shown the records of the logs when they are opened.</summary>
internal interface ILogVisitor
{
    /// <summary>Called for each record of a log, in its order; one log after another.</summary>
    /// <param name="log">The log's number.</param>
    /// <param name="record">The record, which stays where it is until the first append.</param>
    void Visit(int log, LogRecord record);
}
