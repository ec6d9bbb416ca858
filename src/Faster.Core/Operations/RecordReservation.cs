using Faster.Contracts;
using Faster.Expiry;
using Faster.Log;
using Faster.Log.InMemory;
using Faster.Log.Records;

namespace Faster.Operations;

/// <summary>
/// Space for one record, which an attempt has allocated at the tail (or from a free list) and not linked yet: key,
/// lengths and expiry are written, the value is written by the attempt.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Reserved space has the header of an invalid record, with the flags that its size depends on, so that a walk
/// over the log steps over it.</item>
/// </list>
/// <para>Not thread-safe: it belongs to an attempt, under its epoch.</para>
/// </remarks>
internal unsafe struct RecordReservation(RecordAllocator log, FreeLists? freeLists, ExpirySweep? sweep)
{
    private int _size;
    private byte* _value;
    private long _inVain; // buckets searched for expired records without success
    private ulong _flags; // header flags that the size depends on

    /// <summary>The record's address; 0 when nothing is reserved.</summary>
    public long Address { get; private set; }

    /// <summary>The header bits of the version that reserved records belong to.</summary>
    public ulong VersionBits { get; set; }

    /// <summary>Reserves space for a record and writes its key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="valueSize">The size of every value, or 0.</param>
    /// <param name="length">The value's length in bytes.</param>
    /// <param name="capacity">The space for the value in bytes, when values vary; at least the length.</param>
    /// <param name="expiry">The record's expiry, or <see cref="RecordExpiry.Never"/>.</param>
    /// <returns>False when no page frame is free.</returns>
    public bool TryTake<TKey>(
        scoped TKey key, int valueSize, int length, int capacity, long expiry = RecordExpiry.Never)
        where TKey : struct, IKey, allows ref struct
    {
        long slot = valueSize != 0
            ? RecordLayout.AlignUp(valueSize)
            : ValueLayout.SlotSize(capacity);
        _flags = RecordExpiry.FlagFor(expiry);
        int before = RecordHeader.Size + key.SlotSize + RecordExpiry.SizeIn(_flags);
        long size = before + slot;
        if (size > log.LargestRecord && capacity > length)
            return TryTake(key, valueSize, length, length, expiry);
        if (!TryAllocate(size, out long address)) return false;
        byte* record = log.Pointer(address);
        key.WriteTo(record + RecordHeader.Size);
        _value = record + before;
        SetExpiry(expiry);
        if (valueSize == 0) ValueLayout.Begin(_value, length, slot);
        Address = address;
        _size = (int)size;
        Invalidate();
        return true;
    }

    /// <summary>
    /// Keeps the reserved space for a record with this expiry, or returns it if the layout does not match.
    /// </summary>
    /// <returns>Whether space is reserved; it holds the key and, if one was written, a value.</returns>
    public bool TryReuse(long expiry)
    {
        if (Address == 0) return false;
        if (RecordExpiry.FlagFor(expiry) != _flags) GiveBack();
        else SetExpiry(expiry);
        return Address != 0;
    }

    /// <summary>The bytes that the value occupies, without its length prefix.</summary>
    public readonly Span<byte> Value(int valueSize) => ValueLayout.Bytes(_value, valueSize);

    /// <summary>Writes the header of a valid record, so that the record can be linked.</summary>
    /// <param name="previous">The record's previous address.</param>
    /// <param name="flags">Flags of the header.</param>
    /// <returns>The header that was written.</returns>
    public readonly ulong Validate(long previous, ulong flags)
    {
        ulong header = (ulong)previous | VersionBits | flags | _flags;
        RecordHeader.Write(log.Pointer(Address), header);
        return header;
    }

    /// <summary>Writes the header of an invalid record, which walks over the log skip.</summary>
    public readonly void Invalidate() =>
        RecordHeader.Write(log.Pointer(Address), VersionBits | RecordHeader.Invalid | _flags);

    /// <summary>Forgets the space, which now belongs to a linked record.</summary>
    public void Leave() => Address = 0;

    /// <summary>Returns the reserved space to the log, if there is any.</summary>
    public void GiveBack()
    {
        if (Address == 0) return;
        log.Free(freeLists, Address, _size, everLinked: false);
        Address = 0;
    }

    private bool TryAllocate(long size, out long address)
    {
        address = 0;
        sweep?.OnMake(freeLists!);
        try
        {
            return log.TryAllocate(freeLists, (int)Math.Min(size, int.MaxValue), out address);
        }
        catch (LimitExceededException) when (sweep is not null && sweep.OnFull(freeLists!, ref _inVain))
        {
            return false;
        }
    }

    private readonly void SetExpiry(long expiry)
    {
        if (_flags != 0) *(long*)(_value - RecordExpiry.Size) = expiry;
    }
}
