using System.Buffers.Binary;
using System.Numerics;

namespace Faster.Memory;

/// <summary>The CRC-32C of bytes, eight at a time. Thread-safe: no state.</summary>
internal static class Crc32C
{
    /// <summary>Adds bytes to a checksum.</summary>
    /// <param name="crc">That of the bytes before, not inverted.</param>
    /// <param name="bytes">The bytes.</param>
    public static uint Add(uint crc, ReadOnlySpan<byte> bytes)
    {
        for (; bytes.Length >= sizeof(ulong); bytes = bytes[sizeof(ulong)..])
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
        foreach (byte b in bytes) crc = BitOperations.Crc32C(crc, b);
        return crc;
    }
}
