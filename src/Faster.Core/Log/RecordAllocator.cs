using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Faster.Contracts;
using Faster.Log.InMemory;
using Faster.Log.Records;

namespace Faster.Log;

/// <summary>
/// The base of record allocators (paper 000, Fig. 1): in memory (§4), in an append-only log (§5) or in the hybrid log
/// (§6). For operations they differ only in the values of the markers and in the few virtual members, none of which is
/// on a hit path.
/// </summary>
/// <remarks>
/// <para>Invariants, besides those of <see cref="RegionMarkers"/>:</para>
/// <list type="bullet">
/// <item>The record at an address from Head on stays where it is while an epoch that was entered before the address was
/// read is not left.</item>
/// <item>Allocated space belongs to its caller alone until the caller links it, and is zero.</item>
/// </list>
/// <para>Thread-safe. Members with addresses are called under epoch protection.</para>
/// </remarks>
internal abstract unsafe class RecordAllocator : IChainResizer, IDisposable
{
    /// <summary>The markers; only the allocator writes them.</summary>
    protected RegionMarkers Markers;

    private long _nextVersionStart;

    /// <summary>The lowest valid address.</summary>
    public long BeginAddress => Volatile.Read(ref Markers.Begin);

    /// <summary>The lowest address in memory.</summary>
    public long HeadAddress
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref Markers.Head);
    }

    /// <summary>Below this address records are immutable for every session.</summary>
    public long SafeReadOnlyAddress
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref Markers.SafeReadOnly);
    }

    /// <summary>From this address on records are updated in place.</summary>
    public long ReadOnlyAddress
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref Markers.ReadOnly);
    }

    /// <summary>The layout of records.</summary>
    public abstract RecordLayout Layout { get; }

    /// <summary>The next free address; for the in-memory allocator, the bytes ever taken from the arena.</summary>
    public abstract long TailAddress { get; }

    /// <summary>
    /// Lh_s: no record of the version after the one being committed lies below this address (paper 004 §5.3). A commit
    /// raises it before it publishes InProgress; the lower address of the commit before holds as well, for operations
    /// that have entered earlier. <see cref="long.MaxValue"/>: the records of this log belong to no version, because
    /// commits capture the log before any operation of the next version (docs/internals/tiered-commits.md).
    /// </summary>
    public long NextVersionStart
    {
        get => Volatile.Read(ref _nextVersionStart);
        set => Volatile.Write(ref _nextVersionStart, value);
    }

    /// <summary>Touches the memory that the next records will be in; before other threads use the allocator.</summary>
    /// <param name="bytes">At most so many bytes, with those that records have already.</param>
    public abstract void Populate(long bytes);

    /// <summary>The bytes of memory that records use.</summary>
    public abstract long BytesInMemory { get; }

    /// <summary>The size in bytes of the largest record.</summary>
    public abstract int LargestRecord { get; }

    /// <summary>Whether a deleted record is spliced out of its chain rather than marked by a tombstone (§4).</summary>
    public abstract bool Splices { get; }

    /// <summary>The state of the memory, for messages about operations that make no progress.</summary>
    public override string ToString() => $"{BytesInMemory} bytes in memory, tail at {TailAddress}";

    /// <summary>The bits of an address that determine its place in memory; never changes.</summary>
    public long AddressMask => Markers.Mask;

    /// <summary>The pointer to a record in memory.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Pointer(long address) => Markers.Base + (address & Markers.Mask);

    /// <summary>
    /// Prefetches the start of a record in memory: header, key and value of the smallest records, of which one in four
    /// spans two cache lines.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Prefetch(long address)
    {
        if (!Sse.IsSupported) return;
        byte* record = Pointer(address);
        Sse.Prefetch0(record);
        Sse.Prefetch0(record + (2 * RecordHeader.Size));
    }

    /// <summary>Finds the newest record of a key in a part of its chain that is in memory.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">The key's hash.</param>
    /// <param name="downTo">The lower end of the part; not below the head.</param>
    /// <param name="address">
    /// The first address of the part; becomes the address of the record, or the chain's first address below the part.
    /// </param>
    /// <param name="header">The record's header, as read once.</param>
    /// <returns>The record, or null.</returns>
    public byte* Find<TKey>(scoped TKey key, ulong hash, long downTo, ref long address, out ulong header)
        where TKey : struct, IKey, allows ref struct
    {
        while (address >= downTo)
        {
            byte* record = Pointer(address);
            header = RecordHeader.Read(record);
            if (!ChainJoinRecord.Is(header) && key.Matches(record + RecordHeader.Size)) return record;
            address = ChainJoinRecord.Next(record, header, hash);
        }

        header = 0;
        return null;
    }

    /// <summary>Allocates zeroed space for a record at the tail (or from a free list).</summary>
    /// <param name="lists">The session's free lists, or null.</param>
    /// <param name="size">The record's size in bytes, a multiple of 8.</param>
    /// <param name="address">The record's address.</param>
    /// <returns>False when no frame is free: leave the epoch, wait by <see cref="WaitForSpace"/>, retry.</returns>
    /// <exception cref="LimitExceededException">There is no more space, or the record is too large.</exception>
    public abstract bool TryAllocate(FreeLists? lists, int size, out long address);

    /// <summary>Frees a record that was never linked or has been spliced out.</summary>
    /// <param name="lists">The session's free lists, or null.</param>
    /// <param name="address">The record.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="everLinked">Whether other sessions may still be reading it.</param>
    public abstract void Free(FreeLists? lists, long address, int size, bool everLinked);

    /// <summary>Waits, outside every epoch, until an allocation may succeed.</summary>
    /// <exception cref="StorageException">The log can't be written.</exception>
    public abstract void WaitForSpace();

    /// <summary>Sets the memory for records in bytes; takes effect as records are evicted.</summary>
    public abstract void SetMemory(long bytes);

    /// <summary>Whether the last <see cref="SetMemory"/> is in effect.</summary>
    public abstract bool IsWithinMemory { get; }

    /// <summary>Whether the memory of the last <see cref="SetMemory"/> is used up.</summary>
    public abstract bool FillsMemory { get; }

    /// <inheritdoc/>
    public abstract void Split(long head, in SplitRule rule, out long left, out long right);

    /// <inheritdoc/>
    public abstract bool TryJoin(long left, long right, ulong hash, long largerBucketCount, out long head);

    /// <inheritdoc/>
    public abstract void Dispose();

    /// <summary>Makes the exception for a record that no page can hold.</summary>
    protected static LimitExceededException TooLarge(long size, int limit) => new(
        $"A record of {size:N0} bytes (header, key and value) exceeds the largest one of {limit:N0} bytes. "
        + "Raise StoreOptions.Expert.PageSize (and MemoryBudget with it), or store a smaller key or value.");
}
