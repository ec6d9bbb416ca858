using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Log.InMemory;
using Faster.Log.Records;

namespace Faster.Engines.HotRing.Rings;

/// <summary>
/// Where key and value lie in an item: the word (<see cref="ItemWord"/>), the hash, the key slot, the value slot, each
/// a multiple of 8 bytes. A rehash item ends after the hash.
/// </summary>
/// <remarks>
/// The hash is the paper's tag: the items of a ring are ordered by it, and its high bits select the ring. Immutable,
/// thread-safe.
/// </remarks>
internal readonly unsafe struct ItemLayout(RecordSchema schema)
{
    /// <summary>The size in bytes of what precedes the key slot, and of a rehash item.</summary>
    public const int KeyOffset = 16;

    /// <summary>The size of every value in bytes; 0 if values vary in length.</summary>
    public int ValueSize => schema.ValueSize;

    /// <summary>Whether a value is replaced rather than changed in place.</summary>
    public bool ReplacesValues => schema.ValueSize is < 1 or > sizeof(ulong);

    /// <summary>The item's word.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ref ulong Word(byte* item) => ref *(ulong*)item;

    /// <summary>The item's hash, which never changes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Hash(byte* item) => *(ulong*)(item + sizeof(ulong));

    /// <summary>Sets the hash of an item that is not linked yet.</summary>
    public static void SetHash(byte* item, ulong hash) => *(ulong*)(item + sizeof(ulong)) = hash;

    /// <summary>The size in bytes of the key slot of an item.</summary>
    public int KeySlotSize(byte* item) => schema.KeySlotSize != 0
        ? schema.KeySlotSize
        : VariableLength.SlotSize(*(int*)(item + KeyOffset));

    /// <summary>The key slot of an item.</summary>
    public ReadOnlySpan<byte> KeySlotOf(byte* item) => new(item + KeyOffset, KeySlotSize(item));

    /// <summary>The bytes of an item's key.</summary>
    public ReadOnlySpan<byte> Key(byte* item) => schema.KeySlotSize != 0
        ? new(item + KeyOffset, schema.KeySize)
        : VariableLength.KeyBytes(item + KeyOffset);

    /// <summary>The value slot of an item.</summary>
    public byte* ValueSlotOf(byte* item) => ValueSlotOf(item, KeySlotSize(item));

    /// <summary>The value slot of an item whose key slot has a known size.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* ValueSlotOf(byte* item, int keySlotSize) => item + KeyOffset + keySlotSize;

    /// <summary>The bytes of an item's value.</summary>
    public ReadOnlySpan<byte> Value(byte* item) => ValueLayout.Bytes(ValueSlotOf(item), schema.ValueSize);

    /// <summary>The size in bytes of an item with a key.</summary>
    public int Size(byte* item)
    {
        int key = KeySlotSize(item);
        int capacity = schema.ValueSize != 0 ? 0 : ValueLayout.Capacity(ValueSlotOf(item, key));
        return (int)Size(key, capacity);
    }

    /// <summary>The size in bytes of an item.</summary>
    /// <param name="keySlotSize">The size of its key slot.</param>
    /// <param name="length">The length of its value, if values vary in length.</param>
    /// <exception cref="LimitExceededException">The item is too large.</exception>
    public long Size(int keySlotSize, int length)
    {
        long value = schema.ValueSize != 0 ? (schema.ValueSize + 7) & ~7 : ValueLayout.SlotSize(length);
        long size = KeyOffset + (long)keySlotSize + value;
        return size <= SizeClasses.Most ? size : throw TooLarge(size);
    }

    private static LimitExceededException TooLarge(long size) => new(
        $"A record of {size:N0} bytes (header, key and value) exceeds the largest one of {SizeClasses.Most:N0} bytes "
        + "of the engine HotRing. Store a smaller value, or choose the engine FASTER, whose values may have any size.");
}
