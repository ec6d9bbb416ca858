namespace CountStore.Input;

/// <summary>Keys cut from an input: ranges, which may overlap, of one growing buffer.</summary>
/// <remarks>
/// The tail of the buffer that no key covers yet is the key that a parser is at. Not thread-safe; the buffers are kept
/// by <see cref="Clear"/>, so that counting allocates nothing for each key.
/// </remarks>
internal sealed class KeyBatch
{
    /// <summary>The longest key, in bytes.</summary>
    public const int MaxKeyLength = 1 << 20;

    private const int FullBytes = 48 << 10;
    private const int FullKeys = 16 << 10;

    private byte[] _bytes = new byte[64 << 10];
    private (int Start, int Length)[] _keys = new (int, int)[FullKeys + 64];

    /// <summary>How many keys there are.</summary>
    public int Count { get; private set; }

    /// <summary>How many bytes the buffer holds.</summary>
    public int Length { get; private set; }

    /// <summary>Whether a parser should stop at the next end of a key.</summary>
    public bool IsFull => Count >= FullKeys || Length >= FullBytes;

    /// <summary>The bytes of a key. Valid until the batch changes.</summary>
    public ReadOnlySpan<byte> this[int index]
    {
        get
        {
            (int start, int length) = _keys[index];
            return _bytes.AsSpan(start, length);
        }
    }

    /// <summary>The buffer's bytes from a position to its end. Valid until the batch changes.</summary>
    public ReadOnlySpan<byte> From(int start) => _bytes.AsSpan(start, Length - start);

    /// <summary>Forgets all keys and bytes.</summary>
    public void Clear() => Count = Length = 0;

    /// <summary>Cuts the buffer off at a length.</summary>
    public void CutTo(int length) => Length = length;

    /// <summary>Appends one byte.</summary>
    public void Append(byte value)
    {
        if (Length == _bytes.Length) Array.Resize(ref _bytes, Length * 2);
        _bytes[Length++] = value;
    }

    /// <summary>Appends bytes.</summary>
    public void Append(ReadOnlySpan<byte> values) => values.CopyTo(Grow(values.Length));

    /// <summary>Appends space for bytes, which the caller fills at once.</summary>
    public Span<byte> Grow(int count)
    {
        while (Length + count > _bytes.Length) Array.Resize(ref _bytes, _bytes.Length * 2);
        Length += count;
        return _bytes.AsSpan(Length - count, count);
    }

    /// <summary>Makes a key of the bytes from a position to the buffer's end.</summary>
    public void EndKey(int start)
    {
        if (Count == _keys.Length) Array.Resize(ref _keys, Count * 2);
        _keys[Count++] = (start, Length - start);
    }

    /// <summary>Adds a whole key.</summary>
    public void Add(ReadOnlySpan<byte> key)
    {
        int start = Length;
        Append(key);
        EndKey(start);
    }
}
