using System.Runtime.CompilerServices;
using Faster.Contracts;

namespace Faster.Log.Records;

/// <summary>
/// The layout of a value slot in a record of the log. A value of a fixed size is its bytes; a value of variable length
/// is a 32-bit length, a 32-bit capacity and <em>capacity</em> bytes. Both are padded to a multiple of 8. All integers
/// are little-endian.
/// </summary>
internal static unsafe class ValueLayout
{
    /// <summary>
    /// The number of bytes before the bytes of a value of variable length: a <see cref="ValueExtent"/>.
    /// </summary>
    public const int Prefix = 8;

    /// <summary>Returns the size in bytes of the slot of a value of variable length.</summary>
    /// <param name="capacity">The space for the value in bytes.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long SlotSize(long capacity) => (capacity + Prefix + 7) & ~7L;

    /// <summary>Returns the space for the value in a slot of variable length, in bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Capacity(byte* slot) => ((ValueExtent*)slot)->Capacity;

    /// <summary>Writes the lengths of a value of variable length.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="length">The value's length in bytes.</param>
    /// <param name="slotSize">The size of the slot in bytes.</param>
    public static void Begin(byte* slot, int length, long slotSize) =>
        *(ValueExtent*)slot = new ValueExtent { Length = length, Capacity = (int)slotSize - Prefix };

    /// <summary>Returns the bytes of the value in a slot.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="valueSize">The size of every value in bytes; 0 if values vary in length.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Span<byte> Bytes(byte* slot, int valueSize) =>
        valueSize != 0 ? new(slot, valueSize) : new(slot + Prefix, ((ValueExtent*)slot)->Length);

    /// <summary>Returns the value in a slot as user functions see it.</summary>
    /// <inheritdoc cref="Bytes"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ValueSlot At(byte* slot, int valueSize) =>
        new(valueSize != 0 ? slot : slot + Prefix, valueSize != 0 ? -valueSize : (nint)slot);
}
