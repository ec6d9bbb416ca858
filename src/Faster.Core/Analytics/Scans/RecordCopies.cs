using System.Buffers;
using System.Buffers.Binary;
using Faster.Contracts;

namespace Faster.Analytics.Scans;

/// <summary>
/// Copies of records, which a scan returns, or a commit writes, after it has left its epoch: of each the bytes of its
/// key and of its value, after their length where the schema lets it vary (docs/formats/table.md).
/// </summary>
/// <remarks>Not thread-safe.</remarks>
/// <param name="schema">The schema of the records.</param>
internal sealed class RecordCopies(RecordSchema schema)
{
    private readonly ValueBuffer _bytes = new();
    private int _next;

    /// <summary>The size of the copies in bytes.</summary>
    public int Bytes => _bytes.Written.Length;

    /// <summary>The copies, as they are written to a file.</summary>
    public ReadOnlySpan<byte> Written => _bytes.Written;

    /// <summary>The size in bytes of a copy of a key and a value.</summary>
    public static long SizeOf(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
        (2 * sizeof(int)) + (long)key.Length + value.Length;

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
        Append(key, schema.KeySize);
        Append(value, schema.ValueSize);
    }

    /// <summary>Takes copies that were written; drops all others.</summary>
    /// <param name="bytes">How many bytes there are.</param>
    /// <returns>Where to put them.</returns>
    public Span<byte> Refill(int bytes)
    {
        Clear();
        Span<byte> space = _bytes.GetSpan(bytes)[..bytes];
        _bytes.Advance(bytes);
        return space;
    }

    /// <summary>Returns the next copy.</summary>
    /// <param name="record">The record, valid until the copies change.</param>
    /// <returns>False at the end.</returns>
    /// <exception cref="InvalidDataException">The bytes are no copies.</exception>
    public bool TryTake(out RecordView record)
    {
        record = default;
        if (_next == Bytes) return false;
        ReadOnlySpan<byte> key = Take(schema.KeySize);
        record = new RecordView { Key = key, Value = Take(schema.ValueSize), Address = 0 };
        return true;
    }

    private void Append(ReadOnlySpan<byte> bytes, int size)
    {
        if (size == 0)
        {
            BinaryPrimitives.WriteInt32LittleEndian(_bytes.GetSpan(sizeof(int)), bytes.Length);
            _bytes.Advance(sizeof(int));
        }

        _bytes.Write(bytes);
    }

    private ReadOnlySpan<byte> Take(int size)
    {
        ReadOnlySpan<byte> left = _bytes.Written[_next..];
        if (size == 0)
        {
            if (left.Length < sizeof(int)) throw NoCopies();
            size = BinaryPrimitives.ReadInt32LittleEndian(left);
            left = left[sizeof(int)..];
            _next += sizeof(int);
        }

        if ((uint)size > (uint)left.Length) throw NoCopies();
        _next += size;
        return left[..size];
    }

    private static InvalidDataException NoCopies() => new("The bytes are no copies of records.");
}
