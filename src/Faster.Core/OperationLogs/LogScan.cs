using Faster.Probes;

namespace Faster.OperationLogs;

/// <summary>Reads one log from a mark to its end, which is where a record is not whole or not the next one.</summary>
/// <remarks>
/// <para>What lies above the end was never acknowledged, unless bytes were damaged that were durable. To tell: each
/// record says how far its log was durable when it was written. A whole record above the end that says that the end was
/// durable proves damage. A leftover of an earlier life never says so: its life ended at or above what it says, and the
/// scan has come at least as far.</para>
/// <para>What only the last sync has covered is not said by any record: damage there can't be told from a power
/// cut.</para>
/// <para>Not thread-safe.</para>
/// </remarks>
/// <param name="bytes">The log's bytes.</param>
/// <param name="size">How many there are.</param>
/// <param name="log">The log's number.</param>
/// <param name="identity">The identity of the set of logs.</param>
internal readonly unsafe struct LogScan(byte* bytes, long size, int log, ulong identity)
{
    /// <summary>Shows all records from a mark on to a visitor.</summary>
    /// <returns>Where the log goes on.</returns>
    public LogMark Read(LogMark from, ILogVisitor visitor)
    {
        (long at, uint checksum) = (from.Position, from.Checksum);
        for (;;)
        {
            at += Skipped(at);
            if (at - from.Position > size - LogRecord.HeaderBytes || !IsRecord(at, from.Position)) break;
            LogRecord record = RecordAt(at);
            if (record.Previous != checksum && !(Probe.On && Probe.Has(SeededBug.PredecessorIgnored))) break;
            if (record.Kind != LogRecordKind.Pad) visitor.Visit(log, record);
            at += record.Length;
            checksum = record.Checksum;
        }

        return new LogMark(at, checksum);
    }

    /// <summary>The position of a record that proves that the log was durable above its end; null: none.</summary>
    /// <param name="from">Where the scan began.</param>
    /// <param name="end">Where it ended.</param>
    public long? FindProofOfDamage(long from, long end)
    {
        for (long at = end + sizeof(long); at - from <= size - LogRecord.HeaderBytes; at += sizeof(long))
        {
            at += Skipped(at);
            if (IsRecord(at, from) && at - RecordAt(at).DurableBack > end) return at;
        }

        return null;
    }

    private LogRecord RecordAt(long position) => LogRecord.At((nint)(bytes + (position % size)));

    private bool IsRecord(long position, long from)
    {
        long offset = position % size, available = Math.Min(size - offset, from + size - position);
        bool ignoresLap = Probe.On && Probe.Has(SeededBug.ChecksumIgnoresLap);
        uint seed = LogRecord.SeedOf(identity, log, ignoresLap ? offset : position);
        return available >= LogRecord.HeaderBytes && LogRecord.IsAt(bytes + offset, available, seed);
    }

    // Where less than a header is left, the next record begins with the ring.
    private long Skipped(long position)
    {
        long rest = size - (position % size);
        return rest < LogRecord.HeaderBytes ? rest : 0;
    }
}
