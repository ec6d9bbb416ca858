using System.Numerics;
using System.Runtime.InteropServices;

namespace Faster.Crash.Persistence;

/// <summary>
/// The smallest log over a region: records of length, checksum and bytes, one after another, and zeros after the last.
/// </summary>
/// <remarks>
/// The checksum is seeded with the record's number. Reading ends at the first record that is not whole, so that what
/// it returns is a prefix of what was appended. Not thread-safe.
/// </remarks>
internal static unsafe class RecordList
{
    private const int HeaderBytes = 8, Alignment = 8;

    /// <summary>The space that a record takes.</summary>
    public static int SizeOf(int bytes) => (HeaderBytes + bytes + Alignment - 1) & -Alignment;

    /// <summary>Stores a record.</summary>
    /// <param name="at">Where it begins: the end of the one before.</param>
    /// <param name="number">Its number, from 0.</param>
    /// <param name="bytes">What it holds, at least one byte.</param>
    public static void Store(byte* at, int number, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(new Span<byte>(at + HeaderBytes, bytes.Length));
        *(uint*)(at + sizeof(int)) = Checksum(number, bytes);
        *(int*)at = bytes.Length;
    }

    /// <summary>The records that an image holds.</summary>
    public static List<byte[]> Read(ReadOnlySpan<byte> image)
    {
        List<byte[]> records = [];
        while (image.Length >= HeaderBytes)
        {
            int length = MemoryMarshal.Read<int>(image);
            if (length <= 0 || length > image.Length - HeaderBytes) break;
            ReadOnlySpan<byte> bytes = image.Slice(HeaderBytes, length);
            if (MemoryMarshal.Read<uint>(image[sizeof(int)..]) != Checksum(records.Count, bytes)) break;
            records.Add(bytes.ToArray());
            image = image[Math.Min(SizeOf(length), image.Length)..];
        }

        return records;
    }

    private static uint Checksum(int number, ReadOnlySpan<byte> bytes)
    {
        uint crc = BitOperations.Crc32C(uint.MaxValue, (uint)number);
        foreach (byte b in bytes) crc = BitOperations.Crc32C(crc, b);
        return ~crc;
    }
}
