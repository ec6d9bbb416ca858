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

    /// <summary>Whether a record with a key, of this header, holds one.</summary>
    public static bool IsIn(ulong header) =>
        (header & (RecordHeader.Large | RecordHeader.Invalid | RecordHeader.Merge)) == RecordHeader.Large;

    /// <summary>Reads it from a record's value; nothing that is sound when the value is none.</summary>
    public static LargeHead Read(ReadOnlySpan<byte> value) =>
        value.Length == Size ? MemoryMarshal.Read<LargeHead>(value) : default;

    /// <summary>Reads it from the end of a value slot's bytes; nothing that is sound when they are too few.</summary>
    public static LargeHead AtEndOf(ReadOnlySpan<byte> value) => value.Length < Size ? default : Read(value[^Size..]);

    /// <summary>Whether it may belong to the record at an address: a value's chunks lie below its record.</summary>
    public bool IsSound(long record) => FirstLength > 0 && FirstLength <= Length
        && Lowest > 0 && Lowest <= First && First < record;

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
