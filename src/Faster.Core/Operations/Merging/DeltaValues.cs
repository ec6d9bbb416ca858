using System.Buffers;
using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Log.Reads;
using Faster.Log.Records;

namespace Faster.Operations.Merging;

/// <summary>
/// The deltas of one key in the order in which a walk down its chain meets them, newest first, and their merge (paper
/// 000 §6.3).
/// </summary>
/// <remarks>
/// A whole value is handled as a delta too, the oldest one: nothing below it counts. The bytes are copies, so that
/// no latch is held and no page needed while user code merges them. Not thread-safe: owned by an attempt or a
/// pending operation.
/// </remarks>
internal sealed unsafe class DeltaValues
{
    private const int MaxSpare = LogReader.SmallBuffer;

    private byte[] _bytes = [];
    private int[] _ends = [];
    private ValueBuffer? _merged, _spare, _withoutWhole;

    /// <summary>The bytes of memory allocated for the values.</summary>
    public int Bytes => _bytes.Length;

    /// <summary>The number of values.</summary>
    public int Count { get; private set; }

    /// <summary>Whether the oldest value is a whole one.</summary>
    public bool HasWhole { get; private set; }

    /// <summary>
    /// When the whole value expires; <see cref="RecordExpiry.Never"/> if it does not, or there is none.
    /// </summary>
    public long WholeExpiry { get; private set; } = RecordExpiry.Never;

    /// <summary>Whether the whole value may die while others still count: there are deltas beside it.</summary>
    public bool MayLoseWhole => WholeExpiry != RecordExpiry.Never && Deltas != 0;

    /// <summary>The merge of the deltas alone, after <see cref="MergeWithoutWhole"/>.</summary>
    public ReadOnlySpan<byte> WithoutWhole => _withoutWhole!.Written;

    /// <summary>The number of values that come from deltas.</summary>
    public int Deltas => HasWhole ? Count - 1 : Count;

    /// <summary>A value by index; 0 is the newest.</summary>
    public ReadOnlySpan<byte> this[int index] => _bytes.AsSpan(BeginOf(index), _ends[index] - BeginOf(index));

    /// <summary>Removes all values, and releases the memory of large ones.</summary>
    public void Clear()
    {
        if (_bytes.Length > MaxSpare) Trim();
        Count = 0;
        HasWhole = false;
        WholeExpiry = RecordExpiry.Never;
    }

    /// <summary>Declares the value that was added last to be a whole one.</summary>
    /// <param name="expiry">When it expires.</param>
    public void EndWithWhole(long expiry)
    {
        HasWhole = true;
        WholeExpiry = expiry;
    }

    /// <summary>Adds the next older value.</summary>
    public void Add(ReadOnlySpan<byte> value) => value.CopyTo(Extend(value.Length));

    /// <summary>
    /// Adds the next older value, which other threads may be changing: it is read word by word, so that no word is
    /// torn.
    /// </summary>
    /// <param name="value">The value, aligned to 8 bytes, with readable memory up to a multiple of 8.</param>
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

    /// <summary>Adds the values of another list, which are older than these.</summary>
    public void Add(DeltaValues older)
    {
        for (int i = 0; i < older.Count; i++) Add(older[i]);
        if (older.HasWhole) EndWithWhole(older.WholeExpiry);
    }

    /// <summary>Adds all values that have been read from disk.</summary>
    /// <param name="disk">What has been read from disk.</param>
    /// <param name="isAlive">Whether the whole value in it, if any, has not expired.</param>
    public void Add(ChainReadResult disk, bool isAlive)
    {
        Add(disk.Deltas);
        if (!isAlive || !disk.Found || (disk.IsLarge && disk.GatheredFrom != disk.Address)) return; // or truncated away
        Add(disk.IsLarge ? disk.Gathered : disk.Value);
        EndWithWhole(disk.Expiry);
    }

    /// <summary>Merges the values, from the oldest to the newest. There is at least one.</summary>
    /// <param name="operation">The operation, which has the user's merger.</param>
    /// <returns>The merged value; valid until the values change or are merged again.</returns>
    /// <exception cref="FasterException">The merger has written a value of the wrong size.</exception>
    public ReadOnlySpan<byte> Merge<TOperation>(ref TOperation operation)
        where TOperation : struct, IMergeOperation => Merge(ref operation, Count);

    /// <summary>
    /// Merges the deltas alone into <see cref="WithoutWhole"/>, for the case that the whole value has died.
    /// </summary>
    /// <inheritdoc cref="Merge{TOperation}(ref TOperation)"/>
    public void MergeWithoutWhole<TOperation>(ref TOperation operation)
        where TOperation : struct, IMergeOperation
    {
        ValueBuffer target = _withoutWhole ??= new ValueBuffer();
        target.Clear();
        target.Write(Merge(ref operation, Deltas));
    }

    /// <summary>Makes the exception for a merger that writes a value of the wrong size.</summary>
    public static FasterException WrongSize(int length, int size) =>
        new(ErrorReason.UserFunction, $"A merger wrote {length} bytes where every value has {size}.");

    /// <summary>Makes the exception for a delta in a store whose operations do not merge.</summary>
    /// <param name="address">The address of the delta.</param>
    public static FasterException NoMerger(long address) => new(
        ErrorReason.UserFunction,
        $"The record at address {address:N0} of the log is a delta, but the store's class has no method "
        + "marked [Merger]. Restore the one with which the store was written.");

    /// <summary>Makes the exception for an export of all records that meets a delta.</summary>
    public static FasterException NotExported(long address) => new(
        $"The record at address {address:N0} of the log is a delta, which an import would take for a whole "
        + "value: export a store whose updates merge with ScanScope.Live.");

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
