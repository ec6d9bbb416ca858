using System.Buffers;

namespace Faster.Contracts;

/// <summary>
/// Bytes that the caller has pinned for the time of a call, and that <see cref="Capture"/> copies when an operation
/// outlives the call. A mutable struct: keep it in a field and do not copy it after <see cref="Capture"/>.
/// </summary>
public unsafe struct PinnedBytes
{
    private byte* _pinned;
    private byte[]? _rented;
    private readonly int _length;

    /// <summary>Refers to memory that stays where it is until the call returns.</summary>
    public PinnedBytes(byte* pinned, int length)
    {
        _pinned = pinned;
        _length = length;
    }

    /// <summary>The bytes.</summary>
    public readonly ReadOnlySpan<byte> Span =>
        _rented is null ? new ReadOnlySpan<byte>(_pinned, _length) : _rented.AsSpan(0, _length);

    /// <summary>Copies the bytes into a rented array, so that they outlive the call.</summary>
    public void Capture()
    {
        if (_rented is not null) return;
        byte[] copy = ArrayPool<byte>.Shared.Rent(Math.Max(_length, 1));
        Span.CopyTo(copy);
        _rented = copy;
        _pinned = null;
    }

    /// <summary>Gives the rented array back.</summary>
    public void Release()
    {
        byte[]? rented = _rented;
        _rented = null;
        _pinned = null;
        if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
    }
}
