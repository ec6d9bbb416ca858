using System.Buffers;
using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A reusable buffer to which a user function writes a value. It grows as needed. Not thread-safe: it belongs to one
/// session.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ValueBuffer : IBufferWriter<byte>
{
    private const int MostKept = 4 << 10;

    private byte[] _bytes = GC.AllocateUninitializedArray<byte>(256);
    private int _length;

    /// <summary>The bytes written so far.</summary>
    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, _length);

    /// <summary>The bytes written so far, as memory. Valid until the buffer grows or is used again.</summary>
    public ReadOnlyMemory<byte> WrittenMemory => _bytes.AsMemory(0, _length);

    /// <summary>The number of bytes that the buffer can hold without growing.</summary>
    public int Capacity => _bytes.Length;

    /// <summary>Empties the buffer and keeps its memory.</summary>
    public void Clear() => _length = 0;

    /// <summary>Empties the buffer, and releases memory that a large value has taken.</summary>
    internal void Trim()
    {
        _length = 0;
        if (_bytes.Length > MostKept) _bytes = GC.AllocateUninitializedArray<byte>(256);
    }

    /// <summary>Drops the bytes after the first ones.</summary>
    internal void Truncate(int length)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)length, (uint)_length);
        _length = length;
    }

    /// <summary>
    /// Makes the buffer hold exactly one zeroed value of a fixed size, and returns a reference to it.
    /// </summary>
    /// <typeparam name="T">The value's type.</typeparam>
    public ref T Fixed<T>() where T : unmanaged
    {
        int size = System.Runtime.CompilerServices.Unsafe.SizeOf<T>();
        _length = 0;
        Span<byte> space = GetSpan(size)[..size];
        space.Clear();
        _length = size;
        return ref System.Runtime.CompilerServices.Unsafe.As<byte, T>(ref space[0]);
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
        EnsureSpace(sizeHint);
        return _bytes.AsMemory(_length);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        EnsureSpace(sizeHint);
        return _bytes.AsSpan(_length);
    }

    /// <summary>
    /// Transfers ownership of the bytes written so far to the caller, and continues with a new, empty array.
    /// </summary>
    internal ReadOnlyMemory<byte> Detach()
    {
        ReadOnlyMemory<byte> written = WrittenMemory;
        _bytes = GC.AllocateUninitializedArray<byte>(256);
        _length = 0;
        return written;
    }

    private void EnsureSpace(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        int needed = checked(_length + Math.Max(sizeHint, 1));
        if (needed <= _bytes.Length) return;
        long doubled = Math.Min((long)_bytes.Length * 2, Array.MaxLength);
        Array.Resize(ref _bytes, (int)Math.Max(needed, doubled));
    }
}
