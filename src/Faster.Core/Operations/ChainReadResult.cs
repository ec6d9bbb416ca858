using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Log.Large;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Operations.Merging;

namespace Faster.Operations;

/// <summary>
/// The result of a walk over the part of a chain that is on disk, and the gathered value if it lies in fragments. It
/// stays valid permanently: both are immutable.
/// </summary>
/// <remarks>Owned by one pending operation; not thread-safe.</remarks>
internal sealed unsafe class ChainReadResult
{
    private const int MaxSpare = 1024;

    private byte[] _bytes = [];
    private BlockRead? _kept;  // the buffer that holds the value, instead of an array
    private byte* _value;

    /// <summary>The address at which the walk began; 0 while nothing has been read.</summary>
    public long ChainStart { get; private set; }

    /// <summary>Begin when the need for the walk was found: nothing below it was valid then.</summary>
    public long Floor { get; set; }

    /// <summary>Whether the key was found, and not deleted.</summary>
    public bool Found { get; private set; }

    /// <summary>
    /// The address of the oldest record that the key's value is made from, or of the tombstone; 0 when there is none.
    /// </summary>
    public long Address { get; private set; }

    /// <summary>
    /// The address of the tombstone or the whole record at which the walk ended; 0 when it found neither.
    /// </summary>
    public long End { get; private set; }

    /// <summary>Whether the walk has found no record of the key at all.</summary>
    public bool IsAbsent => !Found && End == 0 && Deltas.Count == 0;

    /// <summary>The deltas that the walk passed before it ended.</summary>
    public DeltaValues Deltas { get; } = new();

    /// <summary>
    /// The deltas that were in memory when the walk began, newer than all on disk: a read takes effect at that time,
    /// and sees these of memory. Of a result in a tier below: all deltas of the tier above.
    /// </summary>
    public DeltaValues Newer { get; } = new();

    /// <summary>The value's bytes, when found; a <see cref="LargeHead"/> if the value lies in fragments.</summary>
    public ReadOnlySpan<byte> Value => _kept is null
        ? _bytes.AsSpan(0, _length)
        : new ReadOnlySpan<byte>(_value, _length);

    /// <summary>Whether the result takes more memory than a small record.</summary>
    public bool IsHeavy => _kept is not null || _bytes.Length > LogReader.SmallBuffer || Gathered is not null
        || Deltas.Bytes > LogReader.SmallBuffer;

    /// <summary>The record's expiry, when found; <see cref="RecordExpiry.Never"/> when it does not expire.</summary>
    public long Expiry { get; private set; } = RecordExpiry.Never;

    /// <summary>Whether the value that was found lies in fragments.</summary>
    public bool IsLarge { get; private set; }

    /// <summary>The address of the record whose value in fragments has been gathered or passed on; 0: none.</summary>
    public long GatheredFrom { get; private set; }

    /// <summary>This result, or that of the tier below, if its value has been gathered or passed on.</summary>
    public ChainReadResult? WithGathered =>
        GatheredFrom != 0 ? this : Below is { GatheredFrom: not 0 } below ? below : null;

    /// <summary>The gathered value; null when it was passed on to the reader's destination.</summary>
    public byte[]? Gathered { get; private set; }

    /// <summary>
    /// The result of the walk in the tier below, which the search entered when it had found nothing in this one; null
    /// until there has been one.
    /// </summary>
    public ChainReadResult? Below { get; private set; }

    /// <summary>
    /// Of a result in a tier below: Begin of the tier above when the search there had found nothing. Records leave that
    /// tier only when its Begin rises.
    /// </summary>
    public long BeginAbove { get; set; }

    /// <summary>
    /// The tail of the log of the tier below before the deltas of <see cref="Newer"/> were collected.
    /// </summary>
    public long TailBelow { get; set; }

    private int _length;

    /// <summary>The result of the walk in the tier below, made if there is none.</summary>
    public ChainReadResult GetBelow() => Below ??= new ChainReadResult();

    /// <summary>Clears the result, and releases its memory.</summary>
    public void Clear()
    {
        if (_bytes.Length > MaxSpare) _bytes = [];
        IsLarge = false;
        Expiry = RecordExpiry.Never;
        GatheredFrom = 0;
        Gathered = null;
        Deltas.Clear();
        Newer.Clear();
        SetAbsent(0);
        Below?.Clear();
    }

    /// <summary>Records that a value in fragments was gathered, or passed on.</summary>
    /// <param name="address">The address of its record.</param>
    /// <param name="value">The value; null when it was passed on.</param>
    public void SetGathered(long address, byte[]? value)
    {
        GatheredFrom = address;
        Gathered = value;
    }

    /// <summary>Releases the value that was gathered in any tier: the attempt needs another one.</summary>
    public void DropGathered()
    {
        SetGathered(0, null);
        Below?.SetGathered(0, null);
    }

    /// <summary>Records a delta of the key that the walk has found; the walk goes on.</summary>
    public void AddDelta(long address, ReadOnlySpan<byte> value)
    {
        Address = address;
        Deltas.Add(value);
    }

    /// <summary>
    /// Records that the walk from <paramref name="chainStart"/> found no record of the key except deltas.
    /// </summary>
    public void SetAbsent(long chainStart) => SetDeleted(chainStart, 0);

    /// <summary>Records that the walk from <paramref name="chainStart"/> found a tombstone of the key.</summary>
    public void SetDeleted(long chainStart, long address)
    {
        ChainStart = chainStart;
        End = address;
        if (Deltas.Count == 0) Address = address;
        Found = false;
        _length = 0;
        Release();
    }

    /// <summary>Records the key's newest whole record that the walk found.</summary>
    /// <param name="chainStart">The address at which the walk began.</param>
    /// <param name="address">The record's address.</param>
    /// <param name="value">Its value.</param>
    /// <param name="isLarge">Whether the value is the head of a value in fragments.</param>
    /// <param name="expiry">The record's expiry.</param>
    /// <param name="blocks">The read that holds the value, kept until this is cleared; null to copy the value.</param>
    public void SetFound(
        long chainStart, long address, ReadOnlySpan<byte> value, bool isLarge = false,
        long expiry = RecordExpiry.Never, BlockRead? blocks = null)
    {
        (IsLarge, Expiry) = (isLarge, expiry);
        ChainStart = chainStart;
        Address = End = address;
        Found = true;
        _length = value.Length;
        Release();
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

    private void Release()
    {
        _kept?.Release();
        _kept = null;
    }
}
