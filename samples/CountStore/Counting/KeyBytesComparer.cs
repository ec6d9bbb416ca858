using System.Diagnostics.CodeAnalysis;

namespace CountStore.Counting;

/// <summary>Compares keys by their bytes; a span looks an array up without a copy.</summary>
internal sealed class KeyBytesComparer
    : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>
{
    /// <summary>The comparer.</summary>
    public static readonly KeyBytesComparer Instance = new();

    private KeyBytesComparer()
    {
    }

    /// <inheritdoc/>
    public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

    /// <inheritdoc/>
    public int GetHashCode([DisallowNull] byte[] obj) => GetHashCode(obj.AsSpan());

    /// <inheritdoc/>
    public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

    /// <inheritdoc/>
    public int GetHashCode(ReadOnlySpan<byte> alternate)
    {
        HashCode hash = default;
        hash.AddBytes(alternate);
        return hash.ToHashCode();
    }

    /// <inheritdoc/>
    public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();
}
