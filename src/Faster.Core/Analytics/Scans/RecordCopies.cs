using System.Buffers;
using System.Buffers.Binary;
using Faster.Contracts;

namespace Faster.Analytics.Scans;

/// <summary>Copies of records, which a scan returns after it has left its epoch.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class RecordCopies
{
    private readonly ValueBuffer _bytes = new();
    private int _next;

    /// <summary>The size of the copies in bytes.</summary>
    public int Bytes => _bytes.Written.Length;

    /// <summary>Drops all copies, and begins at the start.</summary>
    public void Clear()
    {
        _bytes.Clear();
        _next = 0;
    }

    /// <summary>Drops the last copies.</summary>
    /// <param name="bytes">What <see cref="Bytes"/> was before them.</param>
    public void Truncate(int bytes) => _bytes.Truncate(bytes);

    /// <summary>Copies a record.</summary>
    public void Add(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Append(key);
        Append(value);
    }

    /// <summary>Returns the next copy.</summary>
    /// <param name="record">The record, valid until the copies change.</param>
    /// <returns>False at the end.</returns>
    public bool TryTake(out RecordView record)
    {
        record = default;
        if (_next == Bytes) return false;
        ReadOnlySpan<byte> key = Take();
        record = new RecordView { Key = key, Value = Take(), Address = 0 };
        return true;
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        BinaryPrimitives.WriteInt32LittleEndian(_bytes.GetSpan(sizeof(int)), bytes.Length);
        _bytes.Advance(sizeof(int));
        _bytes.Write(bytes);
    }

    private ReadOnlySpan<byte> Take()
    {
        int length = BinaryPrimitives.ReadInt32LittleEndian(_bytes.Written[_next..]);
        _next += sizeof(int) + length;
        return _bytes.Written.Slice(_next - length, length);
    }
}
