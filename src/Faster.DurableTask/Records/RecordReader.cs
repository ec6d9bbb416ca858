using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;

namespace Faster.DurableTask.Records;

/// <summary>Reads what a <see cref="RecordWriter"/> has written.</summary>
/// <exception cref="InvalidDataException">Each method throws it where the bytes are no such field.</exception>
internal ref struct RecordReader
{
    private ReadOnlySpan<byte> _rest;

    /// <summary>Begins with a record, whose format it checks.</summary>
    /// <param name="record">The record's bytes.</param>
    /// <exception cref="FasterException">It has another format.</exception>
    public RecordReader(ReadOnlySpan<byte> record)
    {
        _rest = record;
        RecordFormat.Check(Byte());
    }

    public readonly bool IsAtEnd => _rest.IsEmpty;

    public byte Byte() => Next(1)[0];

    public bool Bool() => Byte() != 0;

    public ulong Count()
    {
        ulong value = 0;
        for (int shift = 0; shift < 64; shift += 7)
        {
            byte part = Byte();
            value |= (ulong)(part & 0x7F) << shift;
            if (part < 0x80) return value;
        }

        throw new InvalidDataException("A number has more than ten bytes.");
    }

    public long Number()
    {
        ulong value = Count();
        return (long)(value >> 1) ^ -(long)(value & 1);
    }

    public int Int() => checked((int)Number());

    public DateTime Time() => DateTime.FromBinary(BinaryPrimitives.ReadInt64LittleEndian(Next(8)));

    public DateTime? OptionalTime() => Bool() ? Time() : null;

    public Guid Id() => new(Next(16));

    public string? Text()
    {
        ulong count = Count();
        if (count == 0) return null;
        ReadOnlySpan<byte> bytes = Next(checked((int)((count - 1) >> 1)));
        return ((count - 1) & 1) == 0
            ? Encoding.UTF8.GetString(bytes)
            : new string(MemoryMarshal.Cast<byte, char>(bytes));
    }

    public Dictionary<string, string>? Tags()
    {
        int count = ListLength();
        if (count < 0) return null;
        Dictionary<string, string> tags = new(count);
        for (int i = 0; i < count; i++) tags.Add(Text() ?? "", Text()!);
        return tags;
    }

    /// <summary>One less than the number, so -1 for no list; and no more than the bytes that are left.</summary>
    public int ListLength()
    {
        ulong count = Count();
        if (count > (ulong)_rest.Length + 1) throw new InvalidDataException($"A list of {count} ends early.");
        return (int)count - 1;
    }

    private ReadOnlySpan<byte> Next(int length)
    {
        if (_rest.Length < length) throw new InvalidDataException("A record ends early.");
        ReadOnlySpan<byte> bytes = _rest[..length];
        _rest = _rest[length..];
        return bytes;
    }
}
