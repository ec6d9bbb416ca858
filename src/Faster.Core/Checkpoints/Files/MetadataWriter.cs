using System.Buffers;
using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Faster.Checkpoints.Files;

/// <summary>Builds the bytes of a metadata file: little-endian numbers, texts, and a checksum over all.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item><see cref="MetadataReader"/> reads what this writes.</item>
/// <item>The checksum covers every byte before it, and the length is that of all bytes.</item>
/// </list>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed class MetadataWriter
{
    private readonly ArrayBufferWriter<byte> _bytes = new(256);

    /// <summary>Begins a file of a kind.</summary>
    public MetadataWriter(MetadataKind kind)
    {
        Add(kind.Magic);
        Add(kind.Version);
        Add(0u); // the length, which End fills in
    }

    /// <summary>Appends a number, little-endian.</summary>
    public void Add<T>(T value)
        where T : unmanaged, IBinaryInteger<T>
    {
        Span<byte> span = _bytes.GetSpan(value.GetByteCount());
        _bytes.Advance(value.WriteLittleEndian(span));
    }

    /// <summary>Appends whether something is there: a byte, 0 or 1.</summary>
    public void Add(bool isThere) => Add(isThere ? (byte)1 : (byte)0);

    /// <summary>
    /// Appends a text: its length in bytes, then UTF-16, which can hold every string, including ill-formed ones.
    /// </summary>
    public void Add(string text)
    {
        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(text.AsSpan());
        Add((uint)bytes.Length);
        _bytes.Write(bytes);
    }

    /// <summary>Fills in the length, and appends the checksum.</summary>
    /// <returns>All bytes of the file.</returns>
    public byte[] End()
    {
        byte[] bytes = new byte[_bytes.WrittenCount + sizeof(uint)];
        _bytes.WrittenSpan.CopyTo(bytes);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(MetadataReader.LengthAt), bytes.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(^sizeof(uint)), MetadataReader.Checksum(bytes));
        return bytes;
    }
}
