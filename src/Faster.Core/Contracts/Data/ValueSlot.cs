using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Contracts;

namespace Faster;

/// <summary>
/// A value where it lies in the store: what an in-place updater of a value of variable length works on.
/// Valid during the call only.
/// </summary>
/// <remarks>The record's latch is held meanwhile, unless the store was declared with <c>Concurrency.User</c>.</remarks>
public readonly unsafe ref struct ValueSlot
{
    private readonly byte* _slot;
    private readonly int _fixedSize;

    /// <summary>Refers to a value slot.</summary>
    /// <param name="slot">Where the slot begins, 8-byte aligned.</param>
    /// <param name="fixedSize">The value's size when that is fixed, or 0 (see <see cref="VariableLength"/>).</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ValueSlot(byte* slot, int fixedSize)
    {
        _slot = slot;
        _fixedSize = fixedSize;
    }

    /// <summary>The most bytes that the value can have where it lies.</summary>
    public int Capacity => _fixedSize != 0 ? _fixedSize : *(int*)(_slot + 4);

    /// <summary>The value's length in bytes.</summary>
    public int Length => _fixedSize != 0 ? _fixedSize : *(int*)_slot;

    /// <summary>The value's bytes, writable.</summary>
    public Span<byte> Bytes
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _fixedSize != 0 ? new(_slot, _fixedSize) : new(_slot + VariableLength.ValuePrefix, *(int*)_slot);
    }

    /// <summary>The value of a fixed size, by reference.</summary>
    /// <typeparam name="T">The value's type; its size must be the store's value size.</typeparam>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref T As<T>() where T : unmanaged => ref Unsafe.AsRef<T>(_slot);

    /// <summary>
    /// Makes a value of variable length longer or shorter in place. New bytes hold whatever lay there.
    /// </summary>
    /// <param name="length">The new length in bytes.</param>
    /// <returns>
    /// False, and nothing changes, when the length is negative, above <see cref="Capacity"/>, or fixed otherwise.
    /// </returns>
    public bool TryResize(int length)
    {
        if (_fixedSize != 0) return length == _fixedSize;
        if ((uint)length > (uint)Capacity) return false;
        *(int*)_slot = length;
        return true;
    }

    /// <summary>Overwrites the value as a whole; one of a fixed size of 1, 2, 4 or 8 bytes by a single store.</summary>
    /// <returns>False, and nothing changes, when the bytes do not fit.</returns>
    public bool TryReplace(ReadOnlySpan<byte> bytes)
    {
        if (!TryResize(bytes.Length)) return false;
        switch (_fixedSize)
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
