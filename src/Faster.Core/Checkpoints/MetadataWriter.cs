using System.Buffers;
using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Faster.Checkpoints;

/// <summary>Puts a metadata file's bytes together: little-endian numbers, texts, a checksum over all.</summary>
/// <remarks>Invariant: what it writes, <see cref="MetadataReader"/> reads. Not thread-safe.</remarks>
internal sealed class MetadataWriter
{
    private readonly ArrayBufferWriter<byte> _bytes = new(256);

    /// <summary>Begins a file.</summary>
    public MetadataWriter(MetadataKind kind)
    {
        Add(kind.Magic);
        Add(kind.Version);
        Add(0u); // the length, known at the end
    }

    /// <summary>Appends a number, as it lies in memory.</summary>
    public void Add<T>(T value)
        where T : unmanaged, IBinaryInteger<T>
    {
        Span<byte> room = _bytes.GetSpan(value.GetByteCount());
        _bytes.Advance(value.WriteLittleEndian(room));
    }

    /// <summary>
    /// Appends a text: its length in bytes, then UTF-16, in which every string can be written, ill-formed ones too.
    /// </summary>
    public void Add(string text)
    {
        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(text.AsSpan());
        Add((uint)bytes.Length);
        _bytes.Write(bytes);
    }

    /// <summary>Ends the file.</summary>
    /// <returns>Its bytes.</returns>
    public byte[] End()
    {
        byte[] bytes = new byte[_bytes.WrittenCount + sizeof(uint)];
        _bytes.WrittenSpan.CopyTo(bytes);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(MetadataReader.LengthAt), bytes.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(^sizeof(uint)), MetadataReader.Checksum(bytes));
        return bytes;
    }
}
