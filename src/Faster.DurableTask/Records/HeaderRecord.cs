namespace Faster.DurableTask.Records;

/// <summary>A partition's header, which each step writes: so it tells which step the store holds.</summary>
/// <param name="Hub">The hub to which the partition belongs.</param>
/// <param name="Number">The partition's number.</param>
/// <param name="Count">The number of partitions of the hub.</param>
/// <param name="Incarnation">How often the partition has been opened at an older commit than its newest.</param>
/// <param name="Step">The number of the step.</param>
/// <param name="Slots">How many slots there are, empty ones included.</param>
/// <param name="Sequence">The sequence number of the last arrival.</param>
/// <param name="Time">The time of the step.</param>
internal sealed record HeaderRecord(
    Guid Hub, int Number, int Count, long Incarnation, long Step, int Slots, long Sequence, DateTime Time)
{
    /// <summary>The header's key.</summary>
    public const string Key = "p";

    public byte[] Encode(RecordWriter record)
    {
        record.Begin();
        record.Id(Hub);
        record.Number(Number);
        record.Number(Count);
        record.Number(Incarnation);
        record.Number(Step);
        record.Number(Slots);
        record.Number(Sequence);
        record.Time(Time);
        return record.ToArray();
    }

    public static HeaderRecord Decode(ReadOnlySpan<byte> bytes)
    {
        RecordReader record = new(bytes);
        return new HeaderRecord(
            record.Id(), record.Int(), record.Int(), record.Number(), record.Number(), record.Int(), record.Number(),
            record.Time());
    }
}
