using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Contracts;

namespace Faster;

/// <summary>
/// A value in place in the store, as the in-place updater of a value of variable length receives it. Valid only during
/// the call.
/// </summary>
/// <remarks>
/// The record's latch is held during the call, unless the store was declared with <c>Concurrency.User</c>.
/// </remarks>
public readonly unsafe ref struct ValueSlot
{
    private readonly byte* _bytes;
    private readonly nint _shape; // the address of the extent; negative, as no address is: the fixed size

    /// <summary>Refers to a value of a fixed size.</summary>
    /// <param name="bytes">The value's bytes, 8-byte aligned.</param>
    /// <param name="size">The value's size in bytes.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ValueSlot(byte* bytes, int size)
        : this(bytes, (nint)(-size))
    {
    }

    /// <summary>Refers to a value of variable length.</summary>
    /// <param name="bytes">The value's bytes, 8-byte aligned.</param>
    /// <param name="extent">Its length and capacity. The length changes here when the value is resized.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ValueSlot(byte* bytes, ValueExtent* extent)
        : this(bytes, (nint)extent)
    {
    }

    /// <summary>Refers to a value of either kind.</summary>
    /// <param name="bytes">The value's bytes.</param>
    /// <param name="shape">The address of its extent, or its fixed size, negated.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ValueSlot(byte* bytes, nint shape)
    {
        _bytes = bytes;
        _shape = shape;
    }

    /// <summary>The largest length in bytes that the value can have in place.</summary>
    public int Capacity => IsFixed ? FixedSize : Extent->Capacity;

    /// <summary>The value's length in bytes.</summary>
    public int Length => IsFixed ? FixedSize : Extent->Length;

    /// <summary>The value's bytes, writable.</summary>
    public Span<byte> Bytes
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => new(_bytes, Length);
    }

    private bool IsFixed => _shape < 0;

    private int FixedSize => (int)-_shape;

    private ValueExtent* Extent => (ValueExtent*)_shape;

    /// <summary>Returns a reference to a value of a fixed size.</summary>
    /// <typeparam name="T">The value's type; its size must be the store's value size.</typeparam>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref T As<T>() where T : unmanaged => ref Unsafe.AsRef<T>(_bytes);

    /// <summary>
    /// Changes the length of a value of variable length in place. Added bytes have unspecified content.
    /// </summary>
    /// <param name="length">The new length in bytes.</param>
    /// <returns>
    /// False, and nothing changes, if the length is negative or above <see cref="Capacity"/>, or if the value has
    /// another fixed size.
    /// </returns>
    public bool TryResize(int length)
    {
        if (IsFixed) return length == FixedSize;
        if ((uint)length > (uint)Capacity) return false;
        Extent->Length = length;
        return true;
    }

    /// <summary>
    /// Overwrites the whole value; a value of a fixed size of 1, 2, 4 or 8 bytes with a single atomic store.
    /// </summary>
    /// <returns>False, and nothing changes, if the bytes do not fit.</returns>
    public bool TryReplace(ReadOnlySpan<byte> bytes)
    {
        if (!TryResize(bytes.Length)) return false;
        switch (-_shape)
        {
            case 1: AtomicValue.Store(ref As<byte>(), MemoryMarshal.Read<byte>(bytes)); break;
            case 2: AtomicValue.Store(ref As<ushort>(), MemoryMarshal.Read<ushort>(bytes)); break;
            case 4: AtomicValue.Store(ref As<uint>(), MemoryMarshal.Read<uint>(bytes)); break;
            case 8: AtomicValue.Store(ref As<ulong>(), MemoryMarshal.Read<ulong>(bytes)); break;
            default: bytes.CopyTo(Bytes); break;
        }

        return true;
    }
}
