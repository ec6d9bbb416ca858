using System.Buffers;
using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// Bytes that the caller has pinned or keeps alive for the duration of a call, and that <see cref="Capture"/> copies if
/// an operation outlives the call. A mutable struct: keep it in a field and do not copy it after <see cref="Capture"/>.
/// Not thread-safe.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public unsafe struct PinnedBytes
{
    private byte* _pinned;
    private ReadOnlyMemory<byte> _held;
    private byte[]? _rented;
    private readonly int _length;

    /// <summary>Refers to memory that is not moved until the call returns.</summary>
    public PinnedBytes(byte* pinned, int length)
    {
        _pinned = pinned;
        _length = length;
    }

    /// <summary>Refers to memory that is not changed until the call returns.</summary>
    public PinnedBytes(ReadOnlyMemory<byte> held)
    {
        _held = held;
        _length = held.Length;
    }

    /// <summary>The caller's bytes, or their copy after <see cref="Capture"/>.</summary>
    public readonly ReadOnlySpan<byte> Span => _pinned is not null
        ? new ReadOnlySpan<byte>(_pinned, _length)
        : _rented is not null ? _rented.AsSpan(0, _length) : _held.Span;

    /// <summary>The number of bytes.</summary>
    public readonly int Length => _length;

    /// <summary>Copies the bytes into a rented array, so that they outlive the call.</summary>
    public void Capture()
    {
        if (_rented is not null) return;
        byte[] copy = ArrayPool<byte>.Shared.Rent(Math.Max(_length, 1));
        Span.CopyTo(copy);
        _rented = copy;
        _pinned = null;
        _held = default;
    }

    /// <summary>Returns the rented array to the pool, if there is one.</summary>
    public void Release()
    {
        byte[]? rented = _rented;
        _rented = null;
        _pinned = null;
        _held = default;
        if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
    }
}
