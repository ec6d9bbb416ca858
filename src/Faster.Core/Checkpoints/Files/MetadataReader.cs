using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Memory;

namespace Faster.Checkpoints.Files;

/// <summary>Parses a metadata file, and trusts no content before the checksum has been verified.</summary>
/// <remarks>
/// Invariants: whatever the bytes are, a read returns a value or throws a <see cref="DamagedDataException"/> with its
/// offset; nothing larger than the file is allocated. Not thread-safe.
/// </remarks>
internal sealed class MetadataReader
{
    /// <summary>The offset of the format version.</summary>
    public const int VersionAt = 8;

    /// <summary>The offset of the file's length.</summary>
    public const int LengthAt = 12;

    private const int HeaderBytes = 16;

    private readonly MetadataKind _kind;
    private readonly string _path;
    private readonly byte[] _bytes;
    private readonly int _end;
    private int _at = HeaderBytes;

    /// <summary>Checks magic, version, length, and checksum, in this order.</summary>
    /// <param name="kind">What the file should be.</param>
    /// <param name="path">The file's path, for messages.</param>
    /// <param name="bytes">All bytes of the file.</param>
    /// <exception cref="DamagedDataException">One of them is wrong.</exception>
    public MetadataReader(MetadataKind kind, string path, byte[] bytes)
    {
        (_kind, _path, _bytes, _end) = (kind, path, bytes, bytes.Length - sizeof(uint));
        if (_end < HeaderBytes || BinaryPrimitives.ReadUInt64LittleEndian(bytes) != kind.Magic)
            throw kind.Damaged(path, 0, "its magic number is wrong");
        kind.CheckVersion(path, BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(VersionAt)));
        uint length = BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(LengthAt));
        if (length != bytes.Length)
            throw kind.Damaged(path, LengthAt, $"it should have {length} bytes, not {bytes.Length}");
        if (BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(_end)) != Checksum(bytes))
            throw kind.Damaged(path, _end, "its checksum is wrong");
    }

    /// <summary>Computes the CRC-32C of all bytes of a file except the last four, which hold it.</summary>
    public static uint Checksum(ReadOnlySpan<byte> file) => ~Crc32C.Add(uint.MaxValue, file[..^sizeof(uint)]);

    /// <summary>Reads the next number, little-endian.</summary>
    public T Next<T>()
        where T : unmanaged, IBinaryInteger<T>
    {
        ReadOnlySpan<byte> bytes = Take(Unsafe.SizeOf<T>());
        return T.ReadLittleEndian(bytes, isUnsigned: T.Zero - T.One > T.Zero);
    }

    /// <summary>Reads the next number, which must lie in a range; both ends belong to it.</summary>
    public T Next<T>(T least, T most, string what)
        where T : unmanaged, IBinaryInteger<T>
    {
        int at = _at;
        T value = Next<T>();
        return value >= least && value <= most ? value : throw Damaged(at, $"{what} of {value}");
    }

    /// <summary>Reads whether something is there.</summary>
    /// <param name="what">What it is, in plural, for messages.</param>
    public bool NextFlag(string what) => Next<byte>(0, 1, $"a number of {what}") != 0;

    /// <summary>Reads the length of the list that follows.</summary>
    /// <param name="leastBytes">The fewest bytes that an element can take.</param>
    /// <param name="what">The elements in plural, for messages.</param>
    public int NextCount(int leastBytes, string what) =>
        (int)Next<uint>(0, (uint)((_end - _at) / leastBytes), $"a number of {what}");

    /// <summary>Reads the next text: its length in bytes, then UTF-16.</summary>
    public string NextText()
    {
        int at = _at;
        int length = NextCount(1, "bytes of a text");
        if (length % sizeof(char) != 0) throw Damaged(at, "half a character");
        return new string(MemoryMarshal.Cast<byte, char>(Take(length)));
    }

    /// <summary>Checks that all content has been read.</summary>
    public void End()
    {
        if (_at != _end) throw Damaged(_at, "something follows its content");
    }

    /// <summary>Makes the exception for invalid content at the current offset.</summary>
    public DamagedDataException Damaged(string what) => Damaged(_at, what);

    private DamagedDataException Damaged(int at, string what) => _kind.Damaged(_path, at, what);

    private ReadOnlySpan<byte> Take(int bytes)
    {
        if (bytes > _end - _at) throw Damaged(_at, "its content ends too early");
        _at += bytes;
        return _bytes.AsSpan(_at - bytes, bytes);
    }
}
