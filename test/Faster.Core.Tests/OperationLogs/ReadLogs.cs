using System.Buffers.Binary;
using Faster.OperationLogs;

namespace Faster.Tests.OperationLogs;

/// <summary>What a scan of logs has found: the numbers of the records of each log, which are whole.</summary>
internal sealed class ReadLogs(int logs) : ILogVisitor
{
    /// <summary>The numbers, in the order of each log.</summary>
    public List<long>[] Numbers { get; } = [.. Enumerable.Range(0, logs).Select(static _ => new List<long>())];

    /// <summary>The bytes that were in use after the scan.</summary>
    public long Used { get; set; }

    /// <summary>Where the logs went on.</summary>
    public LogMark[] Ends { get; set; } = [];

    /// <inheritdoc/>
    public void Visit(int log, LogRecord record)
    {
        long number = record.Counter;
        Assert.Equal(number, BinaryPrimitives.ReadInt64LittleEndian(record.Key));
        Assert.False(record.ValueBytes.ContainsAnyExcept((byte)number), $"The value of record {number} is torn.");
        Numbers[log].Add(number);
    }
}
