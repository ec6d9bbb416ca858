using System.ComponentModel;
using Faster.Contracts;

namespace Faster;

/// <summary>
/// The records of a transaction that finds them while it runs. Its method takes this as a parameter, and no other
/// records.
/// </summary>
/// <remarks>
/// Each access locks its record until the end, in the order of the accesses: transactions that take the same records in
/// other orders may refuse each other several times. Such a conflict ends the method by an exception, which it must not
/// catch (FAS028), and runs it again. A transaction whose records are known before is better written with them as
/// parameters.
/// </remarks>
/// <typeparam name="TKey">The type of the store's keys.</typeparam>
/// <typeparam name="TValue">The type of the store's values.</typeparam>
public readonly ref struct Transaction<TKey, TValue>
{
    private readonly DynamicRecords _records;
    private readonly RecordCodec<TKey, TValue> _codec;

    /// <summary>Refers to an engine's records; emitted code calls it.</summary>
    /// <param name="records">The records.</param>
    /// <param name="codec">The store's codec.</param>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Transaction(DynamicRecords records, RecordCodec<TKey, TValue> codec) =>
        (_records, _codec) = (records, codec);

    /// <summary>Reads a record as this transaction sees it, beside others that read it.</summary>
    /// <param name="key">The key.</param>
    public ReadResult<TValue> Read(TKey key) => Read(key, RecordAccess.Read);

    /// <summary>
    /// Reads a record that is going to be written. Two transactions that <see cref="Read(TKey)"/> a record and then
    /// write it refuse each other.
    /// </summary>
    /// <param name="key">The key.</param>
    public ReadResult<TValue> ReadForWrite(TKey key) => Read(key, RecordAccess.Write);

    /// <summary>Sets the value of a record, and creates it if it is absent.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The new value.</param>
    public void Write(TKey key, TValue value)
    {
        ref TransactionRecord record = ref Find(key, RecordAccess.Write);
        ValueBuffer buffer = _records.Buffer;
        int from = buffer.Written.Length;
        _codec.EncodeValue(value, buffer);
        record.Set(from, buffer.Written.Length - from);
    }

    /// <summary>Deletes a record.</summary>
    /// <param name="key">The key.</param>
    /// <returns>Whether there was a record.</returns>
    public bool Delete(TKey key)
    {
        ref TransactionRecord record = ref Find(key, RecordAccess.Write);
        bool wasLive = record.IsLive;
        record.Change = RecordChange.Delete;
        return wasLive;
    }

    private ReadResult<TValue> Read(TKey key, RecordAccess access)
    {
        ref TransactionRecord record = ref Find(key, access);
        return record.IsLive ? new(true, _codec.DecodeValue(record.Current(_records.Buffer))) : default;
    }

    private ref TransactionRecord Find(TKey key, RecordAccess access)
    {
        using ScratchBuffer bytes = ScratchBuffer.Rent();
        _codec.EncodeKey(key, bytes.Buffer);
        return ref _records.Find(bytes.Buffer.Written, access);
    }
}
