using System.Buffers.Binary;
using Faster.OperationLogs;
using Faster.Persistence;

namespace Faster.Tests.OperationLogs;

/// <summary>Records of operation logs for tests: each has a number, from which its bytes follow.</summary>
internal static unsafe class TestRecords
{
    /// <summary>The identity of the sets of tests.</summary>
    public const ulong Identity = 0x1234_5678_9ABC_DEF0;

    /// <summary>What a record is made from.</summary>
    public static LogRecordShape ShapeOf(long number, int valueBytes) => new()
    {
        Kind = LogRecordKind.Put, Version = 1, Counter = number, KeyBytes = sizeof(long), ValueBytes = valueBytes,
    };

    /// <summary>Appends a record, if a log has the space.</summary>
    /// <param name="logs">The logs.</param>
    /// <param name="favorite">The caller's log.</param>
    /// <param name="number">The record's number.</param>
    /// <param name="valueBytes">How long its value is.</param>
    /// <param name="mayUseReserve">Whether the last eighth may be used.</param>
    /// <param name="whileOwned">Called with the log's number before the record is published.</param>
    public static LogSpace TryAppend(
        LogSet logs, ref int favorite, long number, int valueBytes, bool mayUseReserve = false,
        Action<int>? whileOwned = null)
    {
        LogRecordShape shape = ShapeOf(number, valueBytes);
        LogSpace space = logs.TryReserve(ref favorite, shape.Size, mayUseReserve, out LogReservation reservation);
        if (space != LogSpace.Taken) return space;
        Fill(LogRecord.Write(reservation.Pointer, shape), number);
        whileOwned?.Invoke(reservation.Log);
        reservation.Publish();
        return LogSpace.Taken;
    }

    /// <summary>Appends a record to logs that have the space and no other owner.</summary>
    public static void Append(LogSet logs, long number, int valueBytes)
    {
        int favorite = 0;
        Assert.Equal(LogSpace.Taken, TryAppend(logs, ref favorite, number, valueBytes));
    }

    /// <summary>Writes key and value.</summary>
    public static void Fill(LogRecord record, long number)
    {
        BinaryPrimitives.WriteInt64LittleEndian(record.Key, number);
        record.ValueBytes.Fill((byte)number);
    }

    /// <summary>Opens the logs that an image holds, and reads them.</summary>
    /// <param name="image">The bytes of all logs.</param>
    /// <param name="heads">Where the scans begin.</param>
    public static ReadLogs Read(ReadOnlySpan<byte> image, params LogMark[] heads)
    {
        var found = new ReadLogs(heads.Length);
        using LogSet logs = LogSet.Open(
            new PersistenceDomain(new EmulatedRegion(image, TimeSpan.Zero)), Identity, heads, found);
        (found.Used, found.Ends) = (logs.Used, logs.Mark());
        return found;
    }
}
