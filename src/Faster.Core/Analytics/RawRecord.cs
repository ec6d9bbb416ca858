namespace Faster;

/// <summary>A record of the log as bytes of its own.</summary>
/// <param name="Key">The key's bytes.</param>
/// <param name="Value">The value's bytes; null in a tombstone.</param>
/// <param name="Address">Where the record lies in the log.</param>
public sealed record RawRecord(byte[] Key, byte[]? Value, long Address)
{
    /// <summary>Copies a record: a <see cref="RecordDecoder{T}"/>.</summary>
    /// <param name="record">The record.</param>
    public static RawRecord Copy(RecordView record) =>
        new(record.Key.ToArray(), record.IsTombstone ? null : record.Value.ToArray(), record.Address);
}
