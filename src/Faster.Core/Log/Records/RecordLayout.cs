using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Log.Large;

namespace Faster.Log.Records;

/// <summary>
/// Where key and value lie in a record, from the store's schema: header, key slot, the expiry if the header says so,
/// value slot (docs/formats/record.md).
/// </summary>
/// <remarks>
/// For code that walks records without knowing their types: growth, scans, reads from disk. Immutable, thread-safe.
/// </remarks>
internal readonly unsafe struct RecordLayout(RecordSchema schema)
{
    private readonly int _keySlotSize = schema.KeySlotSize;
    private readonly int _keySize = schema.KeySize;
    private readonly int _valueSize = schema.ValueSize;

    /// <summary>
    /// The size in bytes of every record with a key and without an expiry; 0 when sizes vary. An expiry adds
    /// <see cref="RecordExpiry.Size"/>.
    /// </summary>
    public int FixedRecordSize => _keySlotSize == 0 || _valueSize == 0
        ? 0
        : RecordHeader.Size + _keySlotSize + AlignUp(_valueSize);

    /// <summary>The size of every value in bytes; 0 when values vary.</summary>
    public int ValueSize => _valueSize;

    /// <summary>The size in bytes of the smallest record.</summary>
    public int MinRecordSize => RecordHeader.Size
        + (_keySlotSize == 0 ? VariableLength.SlotSize(0) : _keySlotSize)
        + (_valueSize == 0 ? (int)ValueLayout.SlotSize(0) : AlignUp(_valueSize));

    /// <summary>The size in bytes of a record whose key and value prefix have been written.</summary>
    public long RecordSize(byte* record)
    {
        ulong header = RecordHeader.Read(record);
        if (ChainJoinRecord.Is(header)) return ChainJoinRecord.Size;
        if (ValueFragment.Is(header)) return ValueFragment.Size(record);
        int key = KeySlotSize(record) + RecordExpiry.SizeIn(header);
        return RecordHeader.Size + (long)key + ValueSlotSize(record + RecordHeader.Size + key);
    }

    /// <summary>The size in bytes of a record of the same key with a value of another length, without expiry.</summary>
    public long RecordSize(byte* record, int length) => RecordHeader.Size + (long)KeySlotSize(record)
        + (_valueSize != 0 ? AlignUp(_valueSize) : ValueLayout.SlotSize(length));

    /// <summary>
    /// The size in bytes of a record of which only the first bytes are available: exact when they suffice, otherwise
    /// the number of bytes needed to compute it; a negative number when the lengths are not sound.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long TrySize(byte* record, long available, long limit)
    {
        long need = RecordHeader.Size + (_keySlotSize == 0 ? 8 : _keySlotSize);
        if (available < RecordHeader.Size) return need;
        ulong header = RecordHeader.Read(record);
        if (ChainJoinRecord.Is(header)) return ChainJoinRecord.Size;
        if (ValueFragment.Is(header))
        {
            if (available < ValueFragment.Prefix) return ValueFragment.Prefix;
            return ValueFragment.Size(record) is var fragment && fragment > limit ? -1 : fragment;
        }

        if (available < need) return need;
        if (_keySlotSize == 0)
        {
            long length = *(uint*)(record + RecordHeader.Size);
            if (length > limit) return -1;
            need = RecordHeader.Size + ((length + VariableLength.KeyPrefix + 7) & ~7L);
        }

        need += RecordExpiry.SizeIn(header);
        if (_valueSize != 0) return need + AlignUp(_valueSize);
        if (available < need + ValueLayout.Prefix) return need + ValueLayout.Prefix;
        long used = *(uint*)(record + need), capacity = *(uint*)(record + need + 4);
        if (capacity > limit || used > capacity) return -1;
        return need + ValueLayout.SlotSize(capacity);
    }

    /// <summary>The size in bytes of a record's key slot.</summary>
    public int KeySlotSize(byte* record) =>
        _keySlotSize != 0 ? _keySlotSize : VariableLength.SlotSize(*(int*)(record + RecordHeader.Size));

    /// <summary>The bytes of the record's key slot.</summary>
    public ReadOnlySpan<byte> KeySlot(byte* record) => new(record + RecordHeader.Size, KeySlotSize(record));

    /// <summary>The key's bytes.</summary>
    public ReadOnlySpan<byte> Key(byte* record) => _keySize != 0
        ? new ReadOnlySpan<byte>(record + RecordHeader.Size, _keySize)
        : VariableLength.KeyBytes(record + RecordHeader.Size);

    /// <summary>The value's bytes.</summary>
    public ReadOnlySpan<byte> Value(byte* record) =>
        ValueAt(record + RecordHeader.Size + KeySlotSize(record) + RecordExpiry.SizeIn(RecordHeader.Read(record)));

    /// <summary>The record's expiry; <see cref="RecordExpiry.Never"/> when it has none.</summary>
    public long Expiry(byte* record)
    {
        _ = RecordExpiry.Value(record, RecordHeader.Read(record), KeySlotSize(record), out long expiry);
        return expiry;
    }

    /// <summary>The bytes of the value in a slot.</summary>
    public ReadOnlySpan<byte> ValueAt(byte* slot) => ValueLayout.Bytes(slot, _valueSize);

    /// <summary>The hash of a record's key; a chain-join record stores its own.</summary>
    public ulong Hash(byte* record, in HashSeed seed)
    {
        return ChainJoinRecord.Is(RecordHeader.Read(record))
            ? ChainJoinRecord.Hash(record)
            : HashOfSlot(record + RecordHeader.Size, seed);
    }

    /// <summary>The hash of the key in a slot.</summary>
    public ulong HashOfSlot(byte* slot, in HashSeed seed)
    {
        if (_keySize is > 0 and <= 8) return KeyHash.Of(*(ulong*)slot, seed);
        return KeyHash.Of(Key(slot - RecordHeader.Size), seed);
    }

    /// <summary>A size rounded up to a multiple of 8.</summary>
    public static int AlignUp(int size) => (size + 7) & ~7;

    private long ValueSlotSize(byte* slot) => _valueSize != 0
        ? AlignUp(_valueSize)
        : ValueLayout.SlotSize(ValueLayout.Capacity(slot));
}
