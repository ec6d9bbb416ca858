using Faster.Contracts;

namespace Faster.Testing;

/// <summary>A copy of a record of the log as bytes.</summary>
/// <param name="Key">The key's bytes.</param>
/// <param name="Value">The value's bytes; null in a tombstone.</param>
/// <param name="Address">The record's address in the log.</param>
public sealed record RawRecord(byte[] Key, byte[]? Value, long Address)
{
    /// <summary>Copies a record: a <see cref="RecordDecoder{T}"/>.</summary>
    /// <param name="record">The record to copy.</param>
    public static RawRecord Copy(RecordView record) =>
        new(record.Key.ToArray(), record.IsTombstone ? null : record.Value.ToArray(), record.Address);
}
