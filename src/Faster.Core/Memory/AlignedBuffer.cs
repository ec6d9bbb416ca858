namespace Faster.Memory;

/// <summary>Native memory rented from an <see cref="AlignedBufferPool"/>; its bytes are not cleared.</summary>
/// <param name="pointer">The first byte, a multiple of <see cref="AlignedBufferPool.Alignment"/>.</param>
/// <param name="length">The size in bytes: a power of two.</param>
internal readonly unsafe struct AlignedBuffer(byte* pointer, int length)
{
    /// <summary>The first byte; null in the default value.</summary>
    public byte* Pointer { get; } = pointer;

    /// <summary>The size in bytes.</summary>
    public int Length { get; } = length;

    /// <summary>The bytes as a span.</summary>
    public Span<byte> Span => new(Pointer, Length);
}
