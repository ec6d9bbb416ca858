using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Faster.Contracts;

/// <summary>
/// The layout of keys of variable length inside a record: a 32-bit length, little-endian, and the bytes, padded to a
/// multiple of 8. Values are laid out by each engine (<see cref="ValueSlot"/>).
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static unsafe class VariableLength
{
    /// <summary>The number of bytes before a key's bytes in its slot.</summary>
    public const int KeyPrefix = 4;

    /// <summary>Returns the size in bytes of the slot for a key of the given length in bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int SlotSize(int keyLength) => (keyLength + KeyPrefix + 7) & ~7;

    /// <summary>Returns the bytes of the key in a slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ReadOnlySpan<byte> KeyBytes(byte* slot) => new(slot + KeyPrefix, *(int*)slot);

    /// <summary>
    /// Returns whether a slot holds a key. Never throws, whatever the slot contains: a hit has no guard.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool KeyEquals(byte* slot, ReadOnlySpan<byte> key) => *(int*)slot == key.Length
        && BytesEqual(slot + KeyPrefix, key);

    // A call by itself: inlined, it passes the JIT's limit in a hit, and a call that makes the span is left there.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool BytesEqual(byte* bytes, ReadOnlySpan<byte> key) =>
        MemoryMarshal.CreateReadOnlySpan(ref *bytes, key.Length).SequenceEqual(key);
}
