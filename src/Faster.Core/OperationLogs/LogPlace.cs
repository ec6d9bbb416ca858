namespace Faster.OperationLogs;

/// <summary>Where a record ends: the log and the position, in one word. The default is durable.</summary>
/// <param name="Word">Both.</param>
internal readonly record struct LogPlace(long Word)
{
    /// <summary>The largest number of logs.</summary>
    public const int MostLogs = 1 << LogBits;

    private const int LogBits = 4;

    /// <summary>Puts a place together.</summary>
    public LogPlace(int log, long end)
        : this((end << LogBits) | (uint)log)
    {
    }

    /// <summary>The log's number.</summary>
    public int Log => (int)(Word & (MostLogs - 1));

    /// <summary>The position behind the record.</summary>
    public long End => Word >>> LogBits;
}
