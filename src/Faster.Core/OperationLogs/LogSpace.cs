namespace Faster.OperationLogs;

/// <summary>What became of a request for space in a log.</summary>
internal enum LogSpace
{
    /// <summary>The caller owns a log that has the space.</summary>
    Taken,

    /// <summary>
    /// Other threads own all logs that have the space, or the record must wait until the one that it is behind is
    /// durable: try again.
    /// </summary>
    Contended,

    /// <summary>No log has the space.</summary>
    Full,
}
