using System.Buffers;

namespace Faster.Contracts;

/// <summary>
/// A reusable buffer in which a user function makes a value. Grows as needed. Not thread-safe: it belongs to a
/// session.
/// </summary>
public sealed class ValueBuffer : IBufferWriter<byte>
{
    private byte[] _bytes = GC.AllocateUninitializedArray<byte>(256);
    private int _length;

    /// <summary>The bytes written so far.</summary>
    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, _length);

    /// <summary>The bytes written so far, as memory. Valid until the buffer grows or is used again.</summary>
    public ReadOnlyMemory<byte> WrittenMemory => _bytes.AsMemory(0, _length);

    /// <summary>The bytes that the buffer holds without growing.</summary>
    public int Capacity => _bytes.Length;

    /// <summary>Empties the buffer.</summary>
    public void Clear() => _length = 0;

    /// <summary>Makes the buffer hold exactly one value of a fixed size, and returns it zeroed.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    public ref T Fixed<T>() where T : unmanaged
    {
        int size = System.Runtime.CompilerServices.Unsafe.SizeOf<T>();
        _length = 0;
        Span<byte> room = GetSpan(size)[..size];
        room.Clear();
        _length = size;
        return ref System.Runtime.CompilerServices.Unsafe.As<byte, T>(ref room[0]);
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _bytes.Length - _length);
        _length += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        EnsureRoom(sizeHint);
        return _bytes.AsMemory(_length);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        EnsureRoom(sizeHint);
        return _bytes.AsSpan(_length);
    }

    /// <summary>Hands over the bytes written so far, and begins anew with an array of its own.</summary>
    internal ReadOnlyMemory<byte> Detach()
    {
        ReadOnlyMemory<byte> written = WrittenMemory;
        _bytes = GC.AllocateUninitializedArray<byte>(256);
        _length = 0;
        return written;
    }

    private void EnsureRoom(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        int needed = checked(_length + Math.Max(sizeHint, 1));
        if (needed <= _bytes.Length) return;
        long doubled = Math.Min((long)_bytes.Length * 2, Array.MaxLength);
        Array.Resize(ref _bytes, (int)Math.Max(needed, doubled));
    }
}
