using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text.Unicode;

namespace Faster.DurableTask.Records;

/// <summary>
/// Writes the fields of a record into a buffer that is kept for the next one: numbers in as few bytes as they need,
/// texts as UTF-8. <see cref="RecordReader"/> is its counterpart; docs/formats/durable-host.md draws the bytes.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class RecordWriter
{
    private byte[] _buffer = new byte[1024];
    private int _length;

    /// <summary>Begins a record.</summary>
    public void Begin()
    {
        _length = 0;
        Byte(RecordFormat.Current);
    }

    /// <summary>The bytes since <see cref="Begin"/>, as a copy.</summary>
    public byte[] ToArray() => _buffer.AsSpan(0, _length).ToArray();

    public void Byte(byte value) => Next(1)[0] = value;

    public void Bool(bool value) => Byte(value ? (byte)1 : (byte)0);

    /// <summary>Seven bits a byte, the lowest first.</summary>
    public void Count(ulong value)
    {
        Span<byte> bytes = Reserve(10);
        int length = 0;
        for (; value >= 0x80; value >>= 7) bytes[length++] = (byte)(value | 0x80);
        bytes[length++] = (byte)value;
        _length += length;
    }

    /// <summary>A number that may be negative: the sign is the lowest bit.</summary>
    public void Number(long value) => Count((ulong)((value << 1) ^ (value >> 63)));

    public void Time(DateTime value) =>
        BinaryPrimitives.WriteInt64LittleEndian(Next(8), value.Kind == DateTimeKind.Local
            ? value.ToUniversalTime().ToBinary()
            : value.ToBinary());

    public void OptionalTime(DateTime? value)
    {
        Bool(value.HasValue);
        if (value is { } time) Time(time);
    }

    public void Id(Guid value) => value.TryWriteBytes(Next(16));

    /// <summary>
    /// Zero for null; else one and the length times two, and the text as UTF-8; or as UTF-16, with an odd length, if it
    /// has half of a surrogate pair.
    /// </summary>
    public void Text(string? value)
    {
        if (value is null)
        {
            Byte(0);
            return;
        }

        byte[] rented = ArrayPool<byte>.Shared.Rent(value.Length * 3);
        if (Utf8.FromUtf16(value, rented, out _, out int written, replaceInvalidSequences: false)
            == OperationStatus.Done)
        {
            Count(1 + ((ulong)written << 1));
            rented.AsSpan(0, written).CopyTo(Next(written));
        }
        else
        {
            Count(1 + ((ulong)(value.Length * 2) << 1) + 1);
            MemoryMarshal.AsBytes(value.AsSpan()).CopyTo(Next(value.Length * 2));
        }

        ArrayPool<byte>.Shared.Return(rented);
    }

    /// <summary>Pairs of texts, or null.</summary>
    public void Tags(IDictionary<string, string>? tags)
    {
        Count(tags is null ? 0 : (ulong)tags.Count + 1);
        if (tags is null) return;
        foreach ((string key, string value) in tags)
        {
            Text(key);
            Text(value);
        }
    }

    private Span<byte> Next(int length)
    {
        Span<byte> bytes = Reserve(length)[..length];
        _length += length;
        return bytes;
    }

    private Span<byte> Reserve(int length)
    {
        if (_buffer.Length - _length < length)
            Array.Resize(ref _buffer, Math.Max(_buffer.Length * 2, checked(_length + length)));
        return _buffer.AsSpan(_length);
    }
}
