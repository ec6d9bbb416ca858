using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Log;

namespace Faster;

/// <summary>
/// What a walk over the part of a chain that is on disk has found, and what has been gathered of a value that lies in
/// chunks. It stays true for ever: both are immutable.
/// </summary>
/// <remarks>Owned by one pending operation; not thread-safe.</remarks>
internal sealed unsafe class DiskRecord
{
    private const int MostSpare = 1024;

    private byte[] _bytes = [];
    private BlockRead? _kept;  // the buffer that holds the value, instead of an array
    private byte* _value;

    /// <summary>The address at which the walk began; 0 while nothing has been read.</summary>
    public long ChainStart { get; private set; }

    /// <summary>The log's begin when the walk was found necessary: what lay below it was nothing then.</summary>
    public long Floor { get; set; }

    /// <summary>Whether the key was found, and not deleted.</summary>
    public bool Found { get; private set; }

    /// <summary>
    /// The address of the oldest record that the key's value is made of, or of the tombstone; 0 when there is none.
    /// </summary>
    public long Address { get; private set; }

    /// <summary>
    /// The address of the tombstone or the whole record at which the walk ended; 0: it found neither.
    /// </summary>
    public long End { get; private set; }

    /// <summary>The partial values that the walk has passed before it ended.</summary>
    public PartialValues Partials { get; } = new();

    /// <summary>
    /// The partial values that were in memory when the walk began, newer than all on disk: what a read sees of memory,
    /// which takes effect at that time.
    /// </summary>
    public PartialValues Newer { get; } = new();

    /// <summary>The value's bytes, when found; a <see cref="Log.LargeHead"/> if the value lies in chunks.</summary>
    public ReadOnlySpan<byte> Value => _kept is null
        ? _bytes.AsSpan(0, _length)
        : new ReadOnlySpan<byte>(_value, _length);

    /// <summary>Whether what was found takes more memory than a small record.</summary>
    public bool IsHeavy => _kept is not null || _bytes.Length > LogReader.SmallBuffer || Gathered is not null
        || Partials.Bytes > LogReader.SmallBuffer;

    /// <summary>When the record expires, when found; <see cref="RecordExpiry.Never"/> when it does not.</summary>
    public long Expiry { get; private set; } = RecordExpiry.Never;

    /// <summary>Whether the value that was found lies in chunks.</summary>
    public bool IsLarge { get; private set; }

    /// <summary>The address of the record whose value in chunks is here or has been passed on; 0: none.</summary>
    public long GatheredFrom { get; private set; }

    /// <summary>That value; null when it has been passed on to where the reader wanted it.</summary>
    public byte[]? Gathered { get; private set; }

    private int _length;

    /// <summary>Forgets what was found, and gives back what it took.</summary>
    public void Clear()
    {
        if (_bytes.Length > MostSpare) _bytes = [];
        IsLarge = false;
        Expiry = RecordExpiry.Never;
        GatheredFrom = 0;
        Gathered = null;
        Partials.Clear();
        Newer.Clear();
        SetAbsent(0);
    }

    /// <summary>A value in chunks has been gathered, or passed on.</summary>
    /// <param name="address">The address of its record.</param>
    /// <param name="value">The value, or null.</param>
    public void SetGathered(long address, byte[]? value)
    {
        GatheredFrom = address;
        Gathered = value;
    }

    /// <summary>The walk has found a record with a partial value of the key, and goes on.</summary>
    public void AddPartial(long address, ReadOnlySpan<byte> value)
    {
        Address = address;
        Partials.Add(value);
    }

    /// <summary>
    /// The walk from <paramref name="chainStart"/> has found no record of the key but partial ones.
    /// </summary>
    public void SetAbsent(long chainStart) => SetDeleted(chainStart, 0);

    /// <summary>The walk from <paramref name="chainStart"/> has found that the key was deleted.</summary>
    public void SetDeleted(long chainStart, long address)
    {
        ChainStart = chainStart;
        End = address;
        if (Partials.Count == 0) Address = address;
        Found = false;
        _length = 0;
        LetGo();
    }

    /// <summary>The walk from <paramref name="chainStart"/> has found the key's newest whole record.</summary>
    /// <param name="chainStart">Where the walk began.</param>
    /// <param name="address">The record's address.</param>
    /// <param name="value">Its value.</param>
    /// <param name="isLarge">Whether that says where the value's chunks are.</param>
    /// <param name="expiry">When it expires.</param>
    /// <param name="blocks">What holds the value, to be kept until this is cleared; null: the value is copied.</param>
    public void SetFound(
        long chainStart, long address, ReadOnlySpan<byte> value, bool isLarge = false,
        long expiry = RecordExpiry.Never, BlockRead? blocks = null)
    {
        (IsLarge, Expiry) = (isLarge, expiry);
        ChainStart = chainStart;
        Address = End = address;
        Found = true;
        _length = value.Length;
        LetGo();
        if (blocks is not null)
        {
            blocks.Keep();
            _kept = blocks;
            _value = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(value)); // native memory
            return;
        }

        if (_bytes.Length < value.Length)
            _bytes = new byte[System.Numerics.BitOperations.RoundUpToPowerOf2((uint)value.Length)];
        value.CopyTo(_bytes);
    }

    private void LetGo()
    {
        _kept?.LetGo();
        _kept = null;
    }
}
