using System.Buffers;
using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// The partial values of one key in the order in which a walk down its chain meets them, newest first, and their merge
/// (paper 000 §6.3).
/// </summary>
/// <remarks>
/// A whole value is a partial one too, the oldest of those that count: nothing below it does. Copies of the bytes, so
/// that no latch is held and no page needed while user code merges them. Not thread-safe: owned by an attempt or a
/// pending operation.
/// </remarks>
internal sealed unsafe class PartialValues
{
    private const int MostSpare = LogReader.SmallBuffer;

    private byte[] _bytes = [];
    private int[] _ends = [];
    private ValueBuffer? _merged, _spare, _withoutWhole;

    /// <summary>The bytes of memory that they take.</summary>
    public int Bytes => _bytes.Length;

    /// <summary>How many there are.</summary>
    public int Count { get; private set; }

    /// <summary>Whether the oldest is a whole value.</summary>
    public bool HasWhole { get; private set; }

    /// <summary>When the whole value expires, if it does.</summary>
    public long WholeExpiry { get; private set; } = RecordExpiry.Never;

    /// <summary>Whether the whole value may die while others count on: there are partial ones beside it.</summary>
    public bool MayLoseWhole => WholeExpiry != RecordExpiry.Never && Deltas != 0;

    /// <summary>The merge of the partial ones alone, after <see cref="MergeWithoutWhole"/>.</summary>
    public ReadOnlySpan<byte> WithoutWhole => _withoutWhole!.Written;

    /// <summary>How many come from partial records.</summary>
    public int Deltas => HasWhole ? Count - 1 : Count;

    /// <summary>One of them; 0 is the newest.</summary>
    public ReadOnlySpan<byte> this[int index] => _bytes.AsSpan(BeginOf(index), _ends[index] - BeginOf(index));

    /// <summary>Forgets them, and gives back what large ones took.</summary>
    public void Clear()
    {
        if (_bytes.Length > MostSpare) Trim();
        Count = 0;
        HasWhole = false;
        WholeExpiry = RecordExpiry.Never;
    }

    /// <summary>The one that was added last is a whole value.</summary>
    /// <param name="expiry">When it expires.</param>
    public void EndWithWhole(long expiry)
    {
        HasWhole = true;
        WholeExpiry = expiry;
    }

    /// <summary>Adds the next older value.</summary>
    public void Add(ReadOnlySpan<byte> value) => value.CopyTo(Extend(value.Length));

    /// <summary>
    /// Adds the next older value, which others may be changing: word by word, so that no word of it is torn.
    /// </summary>
    /// <param name="value">Where it lies, aligned to 8 bytes, with room up to a multiple of 8 behind it.</param>
    /// <param name="length">Its length in bytes.</param>
    public void AddShared(byte* value, int length)
    {
        Span<byte> copy = Extend(length);
        Span<byte> word = stackalloc byte[sizeof(ulong)];
        for (int at = 0; at < length; at += sizeof(ulong))
        {
            Unsafe.WriteUnaligned(ref word[0], Volatile.Read(ref *(ulong*)(value + at)));
            word[..Math.Min(length - at, sizeof(ulong))].CopyTo(copy[at..]);
        }
    }

    /// <summary>Adds others, which are older than these.</summary>
    public void Add(PartialValues older)
    {
        for (int i = 0; i < older.Count; i++) Add(older[i]);
        if (older.HasWhole) EndWithWhole(older.WholeExpiry);
    }

    /// <summary>Adds all that has been read from disk.</summary>
    /// <param name="disk">What has been read.</param>
    /// <param name="isAlive">Whether the whole value among it, if any, has not expired.</param>
    public void Add(DiskRecord disk, bool isAlive)
    {
        Add(disk.Partials);
        if (!isAlive || !disk.Found || (disk.IsLarge && disk.GatheredFrom != disk.Address)) return; // or truncated away
        Add(disk.IsLarge ? disk.Gathered : disk.Value);
        EndWithWhole(disk.Expiry);
    }

    /// <summary>Merges them, from the oldest to the newest. There is at least one.</summary>
    /// <param name="operation">The operation that knows the user's merger.</param>
    /// <returns>The value; valid until these change or are merged again.</returns>
    /// <exception cref="UserFunctionException">The merger has written a value of the wrong size.</exception>
    public ReadOnlySpan<byte> Merge<TOperation>(ref TOperation operation)
        where TOperation : struct, IMergeOperation => Merge(ref operation, Count);

    /// <summary>Sees to it that <see cref="WithoutWhole"/> is there should the whole value have died.</summary>
    /// <inheritdoc cref="Merge{TOperation}(ref TOperation)"/>
    public void MergeWithoutWhole<TOperation>(ref TOperation operation)
        where TOperation : struct, IMergeOperation
    {
        ValueBuffer target = _withoutWhole ??= new ValueBuffer();
        target.Clear();
        target.Write(Merge(ref operation, Deltas));
    }

    /// <summary>The error of a merger that writes too much or too little.</summary>
    public static UserFunctionException WrongSize(int length, int size) =>
        new($"A merger wrote {length} bytes where every value has {size}.");

    /// <summary>The error for a partial value in a store whose operations do not merge.</summary>
    /// <param name="address">The record that holds it.</param>
    public static UserFunctionException NoMerger(long address) => new(
        $"The record at address {address:N0} of the log holds a partial value, but the store's class has no method "
        + "marked [Merger]. Put back the one with which the store was written.");

    /// <summary>The error of an export of all records that meets a partial value.</summary>
    public static FasterException NotExported(long address) => new(
        $"The record at address {address:N0} of the log holds a partial value, which an import would take for a whole "
        + "one: stores whose updates merge are exported by ScanScope.Live.");

    private ReadOnlySpan<byte> Merge<TOperation>(ref TOperation operation, int newest)
        where TOperation : struct, IMergeOperation
    {
        ReadOnlySpan<byte> merged = this[newest - 1];
        for (int i = newest - 2; i >= 0; i--)
        {
            ValueBuffer target = _spare ??= new ValueBuffer();
            target.Clear();
            operation.Merge(merged, this[i], target);
            merged = target.Written;
            if (TOperation.ValueSize != 0 && merged.Length != TOperation.ValueSize)
                throw WrongSize(merged.Length, TOperation.ValueSize);
            (_merged, _spare) = (target, _merged);
        }

        return merged;
    }

    private void Trim()
    {
        _bytes = [];
        _merged = _spare = _withoutWhole = null;
    }

    private int BeginOf(int index) => index == 0 ? 0 : _ends[index - 1];

    private Span<byte> Extend(int length)
    {
        if (Count == _ends.Length) Array.Resize(ref _ends, Math.Max(Count * 2, 8));
        int begin = BeginOf(Count), end = checked(begin + length);
        if (end > _bytes.Length)
            Array.Resize(ref _bytes, (int)Math.Max(end, Math.Min((long)_bytes.Length * 2, Array.MaxLength)));
        _ends[Count++] = end;
        return _bytes.AsSpan(begin, length);
    }
}
