using System.Buffers.Binary;
using System.Numerics;

namespace Faster.Analytics;

/// <summary>CRC-32C of all the bytes of a stream so far, in whatever pieces they come. Not thread-safe.</summary>
internal struct StreamChecksum()
{
    private uint _crc = uint.MaxValue;

    /// <summary>The checksum.</summary>
    public readonly uint Value => ~_crc;

    /// <summary>Takes more bytes in.</summary>
    public void Add(ReadOnlySpan<byte> bytes)
    {
        uint crc = _crc;
        for (; bytes.Length >= sizeof(ulong); bytes = bytes[sizeof(ulong)..])
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
        foreach (byte b in bytes) crc = BitOperations.Crc32C(crc, b);
        _crc = crc;
    }
}
