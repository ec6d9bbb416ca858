using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Faster.Log;

/// <summary>
/// What a record holds in place of a value that lies in chunks: its bit <see cref="RecordHeader.Large"/> is set, and
/// these bytes are its value (docs/formats/record.md).
/// </summary>
/// <remarks>It never changes where it lies: an update of the key makes a new record.</remarks>
/// <param name="Length">The value's length in bytes.</param>
/// <param name="First">The address of its first chunk.</param>
/// <param name="Lowest">The address of its last chunk, which was written first: below it nothing is needed.</param>
/// <param name="FirstLength">How many bytes of the value are in its first chunk.</param>
[StructLayout(LayoutKind.Sequential, Size = Size)]
internal readonly record struct LargeHead(long Length, long First, long Lowest, int FirstLength)
{
    /// <summary>The size in bytes.</summary>
    public const int Size = 32;

    /// <summary>The first chunk.</summary>
    public ChunkPlace FirstChunk => new(First, FirstLength);

    /// <summary>Reads it from a record's value.</summary>
    /// <param name="value">The value's bytes.</param>
    /// <param name="record">The record's address: chunks lie below it.</param>
    /// <param name="head">What was read.</param>
    /// <returns>False when the bytes make no sense.</returns>
    public static bool TryRead(ReadOnlySpan<byte> value, long record, out LargeHead head)
    {
        head = default;
        if (value.Length != Size) return false;
        head = MemoryMarshal.Read<LargeHead>(value);
        return head.FirstLength > 0 && head.FirstLength <= head.Length
            && head.Lowest > 0 && head.Lowest <= head.First && head.First < record;
    }

    /// <summary>Writes it to a record's value.</summary>
    public void WriteTo(Span<byte> value)
    {
        value.Clear();
        MemoryMarshal.Write(value, in this);
    }

    static LargeHead()
    {
        if (Unsafe.SizeOf<LargeHead>() != Size)
            throw new PlatformNotSupportedException("The head of a large value has not its size of the format.");
    }
}
