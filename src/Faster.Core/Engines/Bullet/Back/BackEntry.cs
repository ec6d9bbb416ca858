namespace Faster.Engines.Bullet.Back;

/// <summary>An entry of the back where it lies: what a key has, or that it was removed.</summary>
/// <remarks>
/// <para>All but <see cref="NextAt"/> is written before anything leads to the entry, and never changes. The next offset
/// is a word, changed through batches: in a free block the same eight bytes lead to the next free one.</para>
/// <para>Valid as long as its bytes are. The lengths of an entry that may be torn are checked by
/// <see cref="IsInside"/> before any other byte is read.</para>
/// </remarks>
internal readonly unsafe ref struct BackEntry
{
    /// <summary>The size of what every entry begins with.</summary>
    public const int HeaderBytes = 32;

    /// <summary>Where the offset of the next entry of the bucket is.</summary>
    public const int NextAt = 0;

    /// <summary>Where the part begins that is written directly and covered by the checksum of its batch.</summary>
    public const int ContentAt = 8;

    private const int HashAt = 8, CounterAt = 16, KeyBytesAt = 24, PagesBackAt = 26, ValueBytesAt = 28;
    private const int Removed = -1;

    private readonly byte* _at;
    private readonly int _keyBytes, _valueBytes; // read once: they may change under a reader

    /// <summary>The entry at an address, of which the header can be read.</summary>
    public BackEntry(byte* at)
    {
        _at = at;
        ulong lengths = Volatile.Read(ref *(ulong*)(at + KeyBytesAt));
        (_keyBytes, PagesBack, _valueBytes) = ((ushort)lengths, (ushort)(lengths >> 16), (int)(lengths >> 32));
    }

    /// <summary>The hash of its key.</summary>
    public ulong Hash => *(ulong*)(_at + HashAt);

    /// <summary>The number of the change that it holds.</summary>
    public long Counter => *(long*)(_at + CounterAt);

    /// <summary>How many pages before its own its span begins.</summary>
    public int PagesBack { get; }

    /// <summary>Whether the key was removed.</summary>
    public bool IsTombstone => _valueBytes == Removed;

    /// <summary>The round in which a tombstone was applied.</summary>
    public long Round => *(long*)(_at + HeaderBytes + _keyBytes);

    /// <summary>The bytes of the key.</summary>
    public ReadOnlySpan<byte> Key => new(_at + HeaderBytes, _keyBytes);

    /// <summary>The bytes of the value; of a tombstone its round.</summary>
    public ReadOnlySpan<byte> Value => new(_at + HeaderBytes + _keyBytes, ValueBytes);

    /// <summary>The size in bytes, a multiple of 8.</summary>
    public long Bytes => SizeOf(_keyBytes, ValueBytes);

    private int ValueBytes => IsTombstone ? sizeof(long) : _valueBytes;

    /// <summary>The size of an entry in bytes.</summary>
    public static long SizeOf(int keyBytes, long valueBytes) =>
        BackLayout.Padded(HeaderBytes + keyBytes + valueBytes);

    /// <summary>Whether all of it lies inside a region of a length, if it is at an offset.</summary>
    public bool IsInside(long offset, long length) => ValueBytes >= 0 && BackLayout.IsInside(offset, Bytes, length);

    /// <summary>Writes all but the next offset of an entry.</summary>
    public static void Write(
        byte* at, ulong hash, long counter, int pagesBack, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        WriteHeader(at, hash, counter, pagesBack, key, value.Length, value.Length);
        value.CopyTo(new Span<byte>(at + HeaderBytes + key.Length, value.Length));
    }

    /// <summary>Writes all but the next offset of a tombstone.</summary>
    public static void WriteTombstone(
        byte* at, ulong hash, long counter, int pagesBack, ReadOnlySpan<byte> key, long round)
    {
        WriteHeader(at, hash, counter, pagesBack, key, Removed, sizeof(long));
        *(long*)(at + HeaderBytes + key.Length) = round;
    }

    private static void WriteHeader(
        byte* at, ulong hash, long counter, int pagesBack, ReadOnlySpan<byte> key, int valueBytes, int stored)
    {
        *(ulong*)(at + HashAt) = hash;
        *(long*)(at + CounterAt) = counter;
        *(ushort*)(at + KeyBytesAt) = (ushort)key.Length;
        *(ushort*)(at + PagesBackAt) = (ushort)pagesBack;
        *(int*)(at + ValueBytesAt) = valueBytes;
        long size = SizeOf(key.Length, stored);
        if (size > HeaderBytes) *(ulong*)(at + size - sizeof(ulong)) = 0; // the padding
        key.CopyTo(new Span<byte>(at + HeaderBytes, key.Length));
    }
}
