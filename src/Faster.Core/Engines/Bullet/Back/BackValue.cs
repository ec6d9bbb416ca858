namespace Faster.Engines.Bullet.Back;

/// <summary>A copy of what the back has of a key; used again for the next read. Not thread-safe.</summary>
internal sealed class BackValue
{
    private byte[] _bytes = new byte[256];
    private int _length;

    /// <summary>The number of the change that the back has of the key, put or removal; 0: it has none.</summary>
    public long Counter { get; set; }

    /// <summary>The value, if there is one.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes.AsSpan(0, _length);

    /// <summary>Whether a value of a length fits without an allocation.</summary>
    public bool Fits(int length) => length <= _bytes.Length;

    /// <summary>Copies a value.</summary>
    public void Set(ReadOnlySpan<byte> value)
    {
        if (!Fits(value.Length))
            _bytes = new byte[Math.Max(value.Length, Math.Min(2L * _bytes.Length, Array.MaxLength))];
        value.CopyTo(_bytes);
        _length = value.Length;
    }

    /// <summary>Forgets the value.</summary>
    public void Clear() => (Counter, _length) = (0, 0);
}
