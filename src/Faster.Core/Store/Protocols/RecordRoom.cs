using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// Room for one record that an attempt has taken at the tail (or from a free list) and not linked yet: key, lengths and
/// expiry in place, the value its maker's to write.
/// </summary>
/// <remarks>
/// Invariant: room that is taken has the header of an invalid record, with the flags that its size depends on, so that
/// whoever walks the log steps over it. Not thread-safe: it belongs to an attempt, under its epoch.
/// </remarks>
internal unsafe struct RecordRoom<TProbe>(
    RecordAllocator<TProbe> log, FreeLists? freeLists, ExpirySweep<TProbe>? sweep)
    where TProbe : struct, IProbe
{
    private int _size;
    private byte* _value;
    private long _inVain; // buckets that were looked at for expired records
    private ulong _flags; // those that the size depends on

    /// <summary>The record's address; 0 when there is no room.</summary>
    public long Address { get; private set; }

    /// <summary>Takes room for a record and writes its key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="versionBits">The version in the header.</param>
    /// <param name="valueSize">The size of every value, or 0.</param>
    /// <param name="length">The value's length in bytes.</param>
    /// <param name="capacity">The room for the value, when values vary; at least the length.</param>
    /// <param name="expiry">When the record expires.</param>
    /// <returns>False when no page frame is free.</returns>
    public bool TryTake<TKey>(
        scoped TKey key, ulong versionBits, int valueSize, int length, int capacity, long expiry)
        where TKey : struct, IKey, allows ref struct
    {
        long slot = valueSize != 0
            ? RecordLayout.AlignUp(valueSize)
            : ((long)capacity + VariableLength.ValuePrefix + 7) & ~7L;
        _flags = RecordExpiry.FlagFor(expiry);
        int before = RecordHeader.Size + key.SlotSize + RecordExpiry.SizeIn(_flags);
        long size = before + slot;
        if (size > log.LargestRecord && capacity > length)
            return TryTake(key, versionBits, valueSize, length, length, expiry);
        if (!TryAllocate(size, out long address)) return false;
        byte* record = log.Pointer(address);
        key.WriteTo(record + RecordHeader.Size);
        _value = record + before;
        SetExpiry(expiry);
        if (valueSize == 0)
        {
            *(int*)_value = length;
            *(int*)(_value + 4) = (int)slot - VariableLength.ValuePrefix;
        }

        Address = address;
        _size = (int)size;
        Invalidate(versionBits);
        return true;
    }

    /// <summary>Keeps the room for a record with such an expiry; gives it back if it is not one for it.</summary>
    /// <returns>Whether there is room, with the key in it and, where it was written, a value.</returns>
    public bool TryKeep(long expiry)
    {
        if (Address == 0) return false;
        if (RecordExpiry.FlagFor(expiry) != _flags) GiveBack();
        else SetExpiry(expiry);
        return Address != 0;
    }

    /// <summary>The value's bytes.</summary>
    public readonly Span<byte> Value(int valueSize) => valueSize != 0
        ? new Span<byte>(_value, valueSize)
        : new Span<byte>(_value + VariableLength.ValuePrefix, *(int*)_value);

    /// <summary>Writes the header with which the record can be linked.</summary>
    /// <returns>The header.</returns>
    public readonly ulong Validate(long previous, ulong bits)
    {
        ulong header = (ulong)previous | bits | _flags;
        RecordHeader.Write(log.Pointer(Address), header);
        return header;
    }

    /// <summary>Writes the header of a record that is not linked.</summary>
    public readonly void Invalidate(ulong versionBits) =>
        RecordHeader.Write(log.Pointer(Address), versionBits | RecordHeader.Invalid | _flags);

    /// <summary>The record has been linked: the room is no more the attempt's.</summary>
    public void Leave() => Address = 0;

    /// <summary>Gives the room back, if there is any.</summary>
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
