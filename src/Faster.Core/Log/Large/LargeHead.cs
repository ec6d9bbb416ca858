using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Log.Records;

namespace Faster.Log.Large;

/// <summary>
/// What a record holds in place of a large value, which lies in fragments: its bit <see cref="RecordHeader.Large"/> is
/// set, and these bytes are its value (docs/formats/record.md).
/// </summary>
/// <remarks>It never changes in place: an update of the key appends a new record.</remarks>
/// <param name="Length">The value's length in bytes.</param>
/// <param name="First">The address of the value's first fragment.</param>
/// <param name="Lowest">The address of its last fragment, which was written first: nothing below is needed.</param>
/// <param name="FirstLength">The number of bytes of the value in its first fragment.</param>
[StructLayout(LayoutKind.Sequential, Size = Size)]
internal readonly record struct LargeHead(long Length, long First, long Lowest, int FirstLength)
{
    /// <summary>The size in bytes.</summary>
    public const int Size = 32;

    /// <summary>The place of the first fragment.</summary>
    public FragmentPlace FirstFragment => new(First, FirstLength);

    /// <summary>Whether a record with a key and this header holds a large head.</summary>
    public static bool IsIn(ulong header) =>
        (header & (RecordHeader.Large | RecordHeader.Invalid | RecordHeader.ChainJoin)) == RecordHeader.Large;

    /// <summary>Reads it from a record's value; the result is not sound when the value is no large head.</summary>
    public static LargeHead Read(ReadOnlySpan<byte> value) =>
        value.Length == Size ? MemoryMarshal.Read<LargeHead>(value) : default;

    /// <summary>Reads it from the end of a value slot's bytes; the result is not sound when they are too few.</summary>
    public static LargeHead AtEndOf(ReadOnlySpan<byte> value) => value.Length < Size ? default : Read(value[^Size..]);

    /// <summary>Whether it may belong to the record at an address: a value's fragments lie below its record.</summary>
    public bool IsSound(long record) => FirstLength > 0 && FirstLength <= Length
        && Lowest > 0 && Lowest <= First && First < record;

    /// <summary>Writes it into a record's value.</summary>
    public void WriteTo(Span<byte> value)
    {
        value.Clear();
        MemoryMarshal.Write(value, in this);
    }

    static LargeHead()
    {
        if (Unsafe.SizeOf<LargeHead>() != Size)
            throw new PlatformNotSupportedException("The size of LargeHead differs from the format's.");
    }
}
