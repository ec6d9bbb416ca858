using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Faster.Contracts;
using Faster.Index;

namespace Faster.Log;

/// <summary>
/// The seam behind which records live (paper 000, Fig. 1): in memory (§4), in an append-only log (§5) or in the hybrid
/// log (§6). Operations differ only by what the markers say and by the few virtual members, none of them on a hit path.
/// </summary>
/// <remarks>Thread-safe. Members with addresses are called under epoch protection.</remarks>
internal abstract unsafe class RecordAllocator<TProbe> : IChainResizer, IDisposable
    where TProbe : struct, IProbe
{
    /// <summary>The markers; written by the allocator alone.</summary>
    protected RegionMarkers Markers;

    /// <summary>The lowest valid address.</summary>
    public long BeginAddress => Volatile.Read(ref Markers.Begin);

    /// <summary>The lowest address in memory.</summary>
    public long HeadAddress
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref Markers.Head);
    }

    /// <summary>Below it records are immutable for everybody.</summary>
    public long SafeReadOnlyAddress
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref Markers.SafeReadOnly);
    }

    /// <summary>From it on records are updated in place.</summary>
    public long ReadOnlyAddress
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref Markers.ReadOnly);
    }

    /// <summary>Where key and value lie in a record.</summary>
    public abstract RecordLayout Layout { get; }

    /// <summary>The next free address; for an in-memory allocator, the bytes ever taken from the arena.</summary>
    public abstract long TailAddress { get; }

    /// <summary>The bytes of memory in use for records.</summary>
    public abstract long BytesInMemory { get; }

    /// <summary>The size in bytes of the largest record.</summary>
    public abstract int LargestRecord { get; }

    /// <summary>Whether a deleted record is spliced out of its chain rather than marked by a tombstone (§4).</summary>
    public abstract bool Splices { get; }

    /// <summary>Where the records stand: for messages about operations that do not get on.</summary>
    public override string ToString() => $"{BytesInMemory} bytes in memory, tail at {TailAddress}";

    /// <summary>Where a record in memory lies.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Pointer(long address) => Markers.Base + (address & Markers.Mask);

    /// <summary>
    /// Brings the start of a record nearer to the processor, if it is in memory: header, key and value of the smallest
    /// ones, which one record in four has on two lines.
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
    /// <param name="hash">Its hash.</param>
    /// <param name="downTo">Where the part ends; not below the head.</param>
    /// <param name="address">
    /// Where it begins; becomes the address of the record, or the first one of the chain below the part.
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
            if (!MergeRecord.Is(header) && key.Matches(record + RecordHeader.Size)) return record;
            address = MergeRecord.Next(record, header, hash);
        }

        header = 0;
        return null;
    }

    /// <summary>Takes zeroed room for a record at the tail (or from a free list).</summary>
    /// <param name="lists">The session's free lists, or null.</param>
    /// <param name="size">The record's size in bytes, a multiple of 8.</param>
    /// <param name="address">Its address.</param>
    /// <returns>False when no frame is free: leave the epoch, wait by <see cref="WaitForRoom"/>, try again.</returns>
    /// <exception cref="LimitExceededException">There is no more room, or the record is too large.</exception>
    public abstract bool TryAllocate(FreeLists? lists, int size, out long address);

    /// <summary>Takes back a record that was never linked or has been spliced out.</summary>
    /// <param name="lists">The session's free lists, or null.</param>
    /// <param name="address">The record.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="everLinked">Whether others may still be looking at it.</param>
    public abstract void Free(FreeLists? lists, long address, int size, bool everLinked);

    /// <summary>Waits, outside every epoch, until an allocation may succeed.</summary>
    /// <exception cref="StorageException">The log can't be written.</exception>
    public abstract void WaitForRoom();

    /// <summary>Changes how much memory records may take, in bytes; takes effect as records are evicted.</summary>
    public abstract void SetMemory(long bytes);

    /// <summary>Whether what <see cref="SetMemory"/> asked for is in effect.</summary>
    public abstract bool IsWithinMemory { get; }

    /// <inheritdoc/>
    public abstract void Split(long head, in SplitRule rule, out long left, out long right);

    /// <inheritdoc/>
    public abstract bool TryMerge(long left, long right, ulong hash, long largerBucketCount, out long head);

    /// <inheritdoc/>
    public abstract void Dispose();

    /// <summary>An error for a record that no page can hold.</summary>
    protected static LimitExceededException TooLarge(long size, int limit) => new(
        $"A record of {size:N0} bytes (header, key and value) exceeds the largest one of {limit:N0} bytes. "
        + "Raise StoreOptions.PageSize (and MemoryBudget with it), or store a smaller key or value.");
}
