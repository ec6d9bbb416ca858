using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Faster.Contracts;

/// <summary>A key of an unmanaged type: its bytes as they are in memory, zero-padded to a multiple of 8.</summary>
/// <typeparam name="T">
/// A type without padding bytes or floating-point fields (the generator warns about both).
/// </typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly unsafe struct UnmanagedKey<T> : IKey
    where T : unmanaged
{
    private readonly T _value;

    /// <summary>Wraps a copy of the key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public UnmanagedKey(T value) => _value = value;

    /// <inheritdoc/>
    public static int FixedSlotSize
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (sizeof(T) + 7) & ~7;
    }

    /// <inheritdoc/>
    public int SlotSize
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => FixedSlotSize;
    }

    /// <inheritdoc/>
    public static bool IsWord
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => sizeof(T) <= 8;
    }

    /// <inheritdoc/>
    public ulong Word
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => sizeof(T) <= 8 ? AsUInt64() : 0;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong Hash(in HashSeed seed)
    {
        if (sizeof(T) <= 8) return KeyHash.Of(AsUInt64(), seed);
        T copy = _value;
        return KeyHash.Of(new ReadOnlySpan<byte>(&copy, sizeof(T)), seed);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Matches(byte* slot)
    {
        if (sizeof(T) <= 8) return *(ulong*)slot == AsUInt64();
        T copy = _value;
        if (sizeof(T) == 16)
        {
            ulong* wanted = (ulong*)&copy, found = (ulong*)slot; // two words need no call
            return wanted[0] == found[0] && wanted[1] == found[1];
        }

        return new ReadOnlySpan<byte>(&copy, sizeof(T)).SequenceEqual(new ReadOnlySpan<byte>(slot, sizeof(T)));
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteTo(byte* slot)
    {
        if (sizeof(T) <= 8)
        {
            *(ulong*)slot = AsUInt64();
            return;
        }

        *(ulong*)(slot + FixedSlotSize - 8) = 0; // the padding; the value covers the rest
        Unsafe.WriteUnaligned(slot, _value);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong AsUInt64() => sizeof(T) == 8 ? Unsafe.BitCast<T, ulong>(_value) : ShortAsUInt64();

    // Apart: the switch takes much of what the JIT may inline into one method.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong ShortAsUInt64() => sizeof(T) switch
    {
        1 => Unsafe.BitCast<T, byte>(_value),
        2 => Unsafe.BitCast<T, ushort>(_value),
        4 => Unsafe.BitCast<T, uint>(_value),
        _ => Widen(_value),
    };

    private static ulong Widen(T value)
    {
        ulong wide = 0;
        Unsafe.WriteUnaligned(&wide, value);
        return wide;
    }
}
