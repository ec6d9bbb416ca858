using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Faster.Checkpoints;

/// <summary>Takes a metadata file apart, and believes nothing before the checksum has been verified.</summary>
/// <remarks>
/// Invariants: whatever the bytes are, a read gives a value or a <see cref="DamagedDataException"/> with its place;
/// nothing larger than the file is allocated. Not thread-safe.
/// </remarks>
internal sealed class MetadataReader
{
    /// <summary>Where the format version stands.</summary>
    public const int VersionAt = 8;

    /// <summary>Where the file's length stands.</summary>
    public const int LengthAt = 12;

    private const int HeaderBytes = 16;

    private readonly MetadataKind _kind;
    private readonly string _path;
    private readonly byte[] _bytes;
    private readonly int _end;
    private int _at = HeaderBytes;

    /// <summary>Checks magic, version, length and checksum, in this order.</summary>
    /// <param name="kind">What the file should be.</param>
    /// <param name="path">The file, for messages.</param>
    /// <param name="bytes">All of it.</param>
    /// <exception cref="DamagedDataException">One of them is wrong.</exception>
    public MetadataReader(MetadataKind kind, string path, byte[] bytes)
    {
        (_kind, _path, _bytes, _end) = (kind, path, bytes, bytes.Length - sizeof(uint));
        if (_end < HeaderBytes || BinaryPrimitives.ReadUInt64LittleEndian(bytes) != kind.Magic)
            throw kind.Damaged(path, 0, "it does not begin with the mark of one");
        Version = BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(VersionAt));
        if (Version < kind.OldestVersion || Version > kind.Version)
        {
            string known = kind.OldestVersion == kind.Version
                ? $"version {kind.Version}"
                : $"versions {kind.OldestVersion} to {kind.Version}";
            throw kind.Damaged(
                path, VersionAt, $"its format version is {Version}; this library reads {known}. "
                + "Open it with the library that wrote it");
        }

        uint length = BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(LengthAt));
        if (length != bytes.Length)
            throw kind.Damaged(path, LengthAt, $"it should have {length} bytes, not {bytes.Length}");
        if (BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(_end)) != Checksum(bytes))
            throw kind.Damaged(path, _end, "its checksum is wrong");
    }

    /// <summary>The file's format version.</summary>
    public uint Version { get; }

    /// <summary>CRC-32C of a whole file but its last four bytes.</summary>
    public static uint Checksum(ReadOnlySpan<byte> file)
    {
        uint crc = uint.MaxValue;
        ReadOnlySpan<byte> rest = file[..^sizeof(uint)];
        for (; rest.Length >= sizeof(ulong); rest = rest[sizeof(ulong)..])
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(rest));
        foreach (byte b in rest) crc = BitOperations.Crc32C(crc, b);
        return ~crc;
    }

    /// <summary>The next number.</summary>
    public T Next<T>()
        where T : unmanaged, IBinaryInteger<T>
    {
        ReadOnlySpan<byte> bytes = Take(Unsafe.SizeOf<T>());
        return T.ReadLittleEndian(bytes, isUnsigned: T.Zero - T.One > T.Zero);
    }

    /// <summary>The next number, which must lie in a range.</summary>
    public T Next<T>(T least, T most, string what)
        where T : unmanaged, IBinaryInteger<T>
    {
        int at = _at;
        T value = Next<T>();
        return value >= least && value <= most ? value : throw Damaged(at, $"{what} of {value}");
    }

    /// <summary>The length of a list that follows.</summary>
    /// <param name="leastBytes">What each of its elements takes at least.</param>
    /// <param name="what">What the elements are.</param>
    public int NextCount(int leastBytes, string what) =>
        (int)Next<uint>(0, (uint)((_end - _at) / leastBytes), $"a number of {what}");

    /// <summary>The next text.</summary>
    public string NextText()
    {
        int at = _at;
        int length = NextCount(1, "bytes of a text");
        if (length % sizeof(char) != 0) throw Damaged(at, "half a character");
        return new string(MemoryMarshal.Cast<byte, char>(Take(length)));
    }

    /// <summary>Refuses more content than has been read.</summary>
    public void End()
    {
        if (_at != _end) throw Damaged(_at, "something follows its content");
    }

    /// <summary>The error for a content that can't be right, at the place that was read last.</summary>
    public DamagedDataException Damaged(string what) => Damaged(_at, what);

    private DamagedDataException Damaged(int at, string what) => _kind.Damaged(_path, at, what);

    private ReadOnlySpan<byte> Take(int bytes)
    {
        if (bytes > _end - _at) throw Damaged(_at, "its content ends too early");
        _at += bytes;
        return _bytes.AsSpan(_at - bytes, bytes);
    }
}
