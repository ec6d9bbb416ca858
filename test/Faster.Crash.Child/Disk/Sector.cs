namespace Faster.Crash.Disk;

/// <summary>512 bytes as some write left them: the unit that a disk writes whole or not at all.</summary>
/// <remarks>Immutable: every image, snapshot and crash state of a run shares the same arrays.</remarks>
internal readonly struct Sector(byte[] bytes, int offset) : IEquatable<Sector>
{
    /// <summary>The bytes of a sector.</summary>
    public const int Size = 512;

    private static readonly byte[] Zeros = new byte[Size];
    private readonly byte[]? _bytes = bytes;

    /// <summary>The content; zeros where nothing was ever written.</summary>
    public ReadOnlySpan<byte> Bytes => (_bytes ?? Zeros).AsSpan(offset, Size);

    /// <summary>This sector with some bytes replaced.</summary>
    public Sector With(ReadOnlySpan<byte> bytes, int at)
    {
        byte[] merged = Bytes.ToArray();
        bytes.CopyTo(merged.AsSpan(at));
        return new Sector(merged, 0);
    }

    /// <inheritdoc/>
    public bool Equals(Sector other) =>
        (_bytes == other._bytes && Offset == other.Offset) || Bytes.SequenceEqual(other.Bytes);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is Sector other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_bytes, Offset);

    private int Offset => offset;
}
