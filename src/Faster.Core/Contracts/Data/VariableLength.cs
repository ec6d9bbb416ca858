using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Faster.Contracts;

/// <summary>
/// The layout of keys and values of variable length inside a record (docs/formats/record.md).
/// A key slot is a 32-bit length and the bytes; a value slot is a 32-bit length, a 32-bit capacity and
/// <em>capacity</em> bytes. Both are padded to a multiple of 8. All integers are little-endian.
/// </summary>
public static unsafe class VariableLength
{
    /// <summary>The bytes before a key's bytes.</summary>
    public const int KeyPrefix = 4;

    /// <summary>The bytes before a value's bytes.</summary>
    public const int ValuePrefix = 8;

    /// <summary>The size of a key slot, in bytes, for a key of the given length in bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int SlotSize(int keyLength) => (keyLength + KeyPrefix + 7) & ~7;

    /// <summary>The size of a value slot, in bytes, for a value with the given capacity in bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int ValueSlotSize(int capacity) => (capacity + ValuePrefix + 7) & ~7;

    /// <summary>The bytes of the key in a slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ReadOnlySpan<byte> KeyBytes(byte* slot) => new(slot + KeyPrefix, *(int*)slot);

    /// <summary>
    /// Whether a slot holds a key. Does not throw, whatever lies in the slot: a hit has no guard.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool KeyEquals(byte* slot, ReadOnlySpan<byte> key) => *(int*)slot == key.Length
        && MemoryMarshal.CreateReadOnlySpan(ref slot[KeyPrefix], key.Length).SequenceEqual(key);
}
