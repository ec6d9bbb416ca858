using System.Text;

namespace Faster.Conformance.Histories;

/// <summary>
/// What a read-modify-write does to a value, and when two values are the same: the sequential specification.
/// </summary>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>Immutable, thread-safe.</remarks>
public abstract class ValueModel<TValue>
{
    /// <summary>When two values are the same.</summary>
    public abstract IEqualityComparer<TValue> Equality { get; }

    /// <summary>
    /// The value after a read-modify-write of an existing value; of an absent one it is the input itself.
    /// </summary>
    public abstract TValue Update(TValue old, TValue input);

    /// <summary>
    /// Whether updates can lead from a value to a later one; true if that is unknown. Once false for a value, it is
    /// false for all that updates make of that value.
    /// </summary>
    public virtual bool MayBecome(TValue value, TValue later) => true;

    /// <summary>The value as text, for explanations.</summary>
    public abstract string Show(TValue value);
}

/// <summary>Adds (wrapping). With distinct random inputs, every sum shows which updates it contains.</summary>
public sealed class AddModel : ValueModel<long>
{
    /// <inheritdoc/>
    public override IEqualityComparer<long> Equality => EqualityComparer<long>.Default;

    /// <inheritdoc/>
    public override long Update(long old, long input) => unchecked(old + input);

    /// <inheritdoc/>
    public override string Show(long value) => value.ToString(System.Globalization.CultureInfo.InvariantCulture);
}

/// <summary>Appends. A value shows which updates it contains, and in what order they were made.</summary>
public sealed class AppendModel : ValueModel<byte[]>
{
    /// <inheritdoc/>
    public override IEqualityComparer<byte[]> Equality => ByteArrayComparer.Instance;

    /// <inheritdoc/>
    public override byte[] Update(byte[] old, byte[] input) => [.. old, .. input];

    /// <inheritdoc/>
    public override bool MayBecome(byte[] value, byte[] later) => later.AsSpan().StartsWith(value);

    /// <inheritdoc/>
    public override string Show(byte[] value)
    {
        if (value.Length <= 64) return $"'{Text(value)}'";
        return $"'{Text(value.AsSpan(0, 24))}…{Text(value.AsSpan(value.Length - 32))}' ({value.Length} B)";
    }

    private static string Text(ReadOnlySpan<byte> bytes)
    {
        var text = new StringBuilder();
        foreach (byte b in bytes) text.Append(b is > 32 and < 127 ? $"{(char)b}" : $"\\{b:x2}");
        return text.ToString();
    }
}

/// <summary>Compares byte arrays by their bytes.</summary>
public sealed class ByteArrayComparer : IEqualityComparer<byte[]>
{
    /// <summary>The one instance.</summary>
    public static readonly ByteArrayComparer Instance = new();

    /// <inheritdoc/>
    public bool Equals(byte[]? x, byte[]? y) => x is null || y is null ? x == y : x.AsSpan().SequenceEqual(y);

    /// <inheritdoc/>
    public int GetHashCode(byte[] obj)
    {
        var hash = new HashCode();
        hash.AddBytes(obj);
        return hash.ToHashCode();
    }
}
