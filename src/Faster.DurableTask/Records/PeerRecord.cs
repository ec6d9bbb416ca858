namespace Faster.DurableTask.Records;

/// <summary>What a partition knows of another one.</summary>
/// <param name="Sent">The number of the last message to it.</param>
/// <param name="Received">The number of the last message from it.</param>
/// <param name="Incarnation">Its incarnation when that message came.</param>
internal readonly record struct PeerRecord(long Sent, long Received, long Incarnation)
{
    public byte[] Encode(RecordWriter record)
    {
        record.Begin();
        record.Number(Sent);
        record.Number(Received);
        record.Number(Incarnation);
        return record.ToArray();
    }

    public static PeerRecord Decode(ReadOnlySpan<byte> bytes)
    {
        RecordReader record = new(bytes);
        return new PeerRecord(record.Number(), record.Number(), record.Number());
    }
}
