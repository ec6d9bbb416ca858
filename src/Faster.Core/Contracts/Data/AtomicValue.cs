using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Faster.Contracts;

/// <summary>
/// Loads and stores values that fit into one machine word atomically, so that readers need no latch: a reader sees the
/// value before or after an update, never half of it.
/// </summary>
/// <remarks>
/// Thread-safe. Loads have acquire semantics, stores have release semantics. All branches are on constants and vanish
/// in compiled code. A value lies at a multiple of 8 bytes in its record, so words of 1, 2, 4 and 8 bytes are naturally
/// aligned. Values of other sizes are copied non-atomically; the caller holds the record's latch, or accepts the risk
/// (<see cref="StoreConcurrency.User"/>).
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class AtomicValue
{
    /// <summary>Returns whether values of the type are loaded and stored by one machine instruction.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Fits<T>() where T : unmanaged => Unsafe.SizeOf<T>() is 1 or 2 or 4 or 8;

    /// <summary>Loads a value from a record's bytes, with acquire semantics.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <param name="value">The value's bytes in the record; at least as many as the size of the type.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T Load<T>(ReadOnlySpan<byte> value) where T : unmanaged
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value.Length, Unsafe.SizeOf<T>());
        return Load(ref Unsafe.As<byte, T>(ref MemoryMarshal.GetReference(value)));
    }

    /// <summary>Loads a value, with acquire semantics.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <param name="location">The value's location in the record.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T Load<T>(ref T location) where T : unmanaged => Unsafe.SizeOf<T>() == 8
        ? Unsafe.BitCast<ulong, T>(Volatile.Read(ref Unsafe.As<T, ulong>(ref location)))
        : LoadOther(ref location);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static T LoadOther<T>(ref T location) where T : unmanaged
    {
        switch (Unsafe.SizeOf<T>())
        {
            case 1: return Unsafe.BitCast<byte, T>(Volatile.Read(ref Unsafe.As<T, byte>(ref location)));
            case 2: return Unsafe.BitCast<ushort, T>(Volatile.Read(ref Unsafe.As<T, ushort>(ref location)));
            case 4: return Unsafe.BitCast<uint, T>(Volatile.Read(ref Unsafe.As<T, uint>(ref location)));
            default: return location;
        }
    }

    /// <summary>Stores a value, with release semantics.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <param name="location">The value's location in the record.</param>
    /// <param name="value">The new value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store<T>(ref T location, T value) where T : unmanaged
    {
        // Apart: the switch takes much of what the JIT may inline into one method.
        if (Unsafe.SizeOf<T>() == 8)
            Volatile.Write(ref Unsafe.As<T, ulong>(ref location), Unsafe.BitCast<T, ulong>(value));
        else if (Unsafe.SizeOf<T>() > 8) location = value;
        else StoreWord(ref location, value);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void StoreWord<T>(ref T location, T value) where T : unmanaged
    {
        switch (Unsafe.SizeOf<T>())
        {
            case 1: Volatile.Write(ref Unsafe.As<T, byte>(ref location), Unsafe.BitCast<T, byte>(value)); break;
            case 2: Volatile.Write(ref Unsafe.As<T, ushort>(ref location), Unsafe.BitCast<T, ushort>(value)); break;
            case 4: Volatile.Write(ref Unsafe.As<T, uint>(ref location), Unsafe.BitCast<T, uint>(value)); break;
            default: location = value; break;
        }
    }

    /// <summary>Replaces a value of 1, 2, 4 or 8 bytes by compare-and-swap.</summary>
    /// <typeparam name="T">The value's type, one that <see cref="Fits{T}"/>.</typeparam>
    /// <param name="location">The value's location in the record.</param>
    /// <param name="value">The new value.</param>
    /// <param name="expected">The value expected at the location.</param>
    /// <param name="seen">The value that was there.</param>
    /// <returns>Whether the value was replaced. The comparison is of bytes, not of values.</returns>
    /// <exception cref="NotSupportedException">The type has another size.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TrySwap<T>(ref T location, T value, T expected, out T seen) where T : unmanaged =>
        Unsafe.SizeOf<T>() == 8
            ? TrySwapWord<T, ulong>(ref location, value, expected, out seen)
            : TrySwapSmall(ref location, value, expected, out seen);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TrySwapSmall<T>(ref T location, T value, T expected, out T seen) where T : unmanaged
    {
        switch (Unsafe.SizeOf<T>())
        {
            case 1: return TrySwapWord<T, byte>(ref location, value, expected, out seen);
            case 2: return TrySwapWord<T, ushort>(ref location, value, expected, out seen);
            case 4: return TrySwapWord<T, uint>(ref location, value, expected, out seen);
            default: throw new NotSupportedException($"{typeof(T)} is not a word of 1, 2, 4 or 8 bytes.");
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TrySwapWord<T, TWord>(ref T location, T value, T expected, out T seen)
        where T : unmanaged
        where TWord : unmanaged, System.Numerics.INumberBase<TWord>
    {
        TWord old = Unsafe.BitCast<T, TWord>(expected);
        TWord found = Interlocked.CompareExchange(
            ref Unsafe.As<T, TWord>(ref location), Unsafe.BitCast<T, TWord>(value), old);
        seen = Unsafe.BitCast<TWord, T>(found);
        return found == old;
    }
}
