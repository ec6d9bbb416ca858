using Faster.Compaction.Copying;
using Faster.Compaction.Lookups;
using Faster.Index.Entries;
using Faster.Invariants;
using Faster.Log.Large;
using Faster.Memory;

namespace Faster.Compaction.Batches;

/// <summary>
/// The stage in which one thread of a compaction gathers records, to copy them in the order in which their entries lie
/// on the device; and its memory.
/// </summary>
/// <remarks>
/// <para>16 bytes say where a record and its entry lie. They grow from the front of the memory, and what they leave is
/// for the records themselves: as many at a time as fit, in <see cref="MaxParts"/> parts at most. So a sweep of the
/// entries serves several times as many records as the memory holds. Look-ups that are put off have memory of their
/// own.</para>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed unsafe class CopyBatch : ICopyStage, IDisposable
{
    /// <summary>The number of parts of a batch that is full: its pages are read so many times.</summary>
    public const int MaxParts = 8;

    private const int OverheadOfRecord = 2 * sizeof(long); // its address, and the place of its entry
    private const int AddressBits = 48, SizeUnit = 8;
    private const int MinRecordBytes = 16; // header and key
    private const long LargeSize = ushort.MaxValue; // in units: that, or more

    private readonly NativeBlock _memory;
    private readonly CopyBatchShape _shape;
    private byte* _free; // where the next record of the part goes

    /// <summary>Reserves the memory.</summary>
    /// <param name="shape">Its parts.</param>
    /// <param name="sweep">Changes entries in the order in which they lie on the device.</param>
    public CopyBatch(CopyBatchShape shape, IEntrySweep sweep) =>
        (_shape, _memory, Sweep) = (shape, new NativeBlock(shape.Bytes), sweep);

    /// <summary>Changes entries in the order in which they lie on the device.</summary>
    public IEntrySweep Sweep { get; }

    /// <summary>The memory for reads of pages, at the start of a system page.</summary>
    public byte* Reads => _memory.Pointer;

    /// <summary>Its size in bytes.</summary>
    public long ReadBytes => _shape.Reads;

    /// <summary>The memory of look-ups that are put off, which read where pages are read; maybe none.</summary>
    public LookupMemory Lookups => _shape.Lookups == 0
        ? default
        : new LookupMemory(Reads, ReadBytes, Reads + ReadBytes, _shape.Lookups);

    /// <summary>The number of records.</summary>
    public int Count { get; private set; }

    /// <summary>The bytes of the records.</summary>
    public long RecordBytes { get; private set; }

    /// <summary>The bytes of the records and of their values in fragments.</summary>
    public long CopiedBytes { get; private set; }

    private byte* Records => _memory.Pointer + _shape.Reads + _shape.Lookups;

    private byte* End => Records + _shape.Records;

    private Span<Item> Items => new(Records, Count);

    private byte* Rest => Records + ((long)Count * sizeof(Item));

    private long RestBytes => RestBytesWith(Count);

    /// <summary>The least memory for pages of a size: for what lies in one.</summary>
    public static long LeastFor(long pageBytes) =>
        pageBytes + OverheadOfRecord + (pageBytes / MinRecordBytes * sizeof(Item));

    /// <summary>Whether the records of another page may not fit any more. The first page's do.</summary>
    /// <param name="pageBytes">The size of a page, or of several.</param>
    /// <param name="putOff">Records that may be added later.</param>
    public bool IsFull(long pageBytes, PutOffRecords putOff = default) => RecordBytes + putOff.Bytes + pageBytes
        > MaxParts * (RestBytesWith(Count + putOff.Count) - LeastFor(pageBytes));

    /// <inheritdoc/>
    public void Take(in PageRecord record, bool mayPutOff)
    {
        Add(record.Hash, record.Address, record.Size);
        if (record.IsLarge) CopiedBytes += LargeHead.AtEndOf(record.Value).Length;
    }

    /// <summary>Notes a record.</summary>
    /// <param name="hash">Its key's hash.</param>
    /// <param name="address">Its address.</param>
    /// <param name="size">Its size in bytes.</param>
    public void Add(ulong hash, long address, long size)
    {
        Invariant.Check(
            RestBytes >= sizeof(Item) && address >> AddressBits == 0,
            $"a record at {address} fits into a batch of {Count} in {_shape.Records} bytes");
        long units = Math.Min((size + SizeUnit - 1) / SizeUnit, LargeSize);
        ((Item*)Records)[Count++] = new Item
        {
            Place = Sweep.PlaceOf(hash), Record = address | (units << AddressBits),
        };
        RecordBytes += size;
        CopiedBytes += size;
    }

    /// <summary>Orders the records by the places of their entries.</summary>
    public void Sort() => Items.Sort(static (a, b) => a.Place.CompareTo(b.Place));

    /// <summary>
    /// Takes the first records from an index on that fit together into the rest of the memory: one, at least.
    /// </summary>
    /// <returns>The index of the first one that does not.</returns>
    public int EndOfPart(int from)
    {
        ReadOnlySpan<Item> items = Items;
        long space = RestBytes;
        int end = from;
        do space -= items[end++].Size + OverheadOfRecord;
        while (end < items.Length && items[end].Size + OverheadOfRecord <= space);
        return end;
    }

    /// <summary>Begins a part, and orders its records by their addresses.</summary>
    /// <param name="from">The index of the first one.</param>
    /// <param name="to">The index after the last one.</param>
    public void BeginPart(int from, int to)
    {
        Items[from..to].Sort(static (a, b) => a.Address.CompareTo(b.Address));
        _free = Rest + ((long)(to - from) * sizeof(long));
    }

    /// <summary>The address of a record of the part that has begun, before the record is put there.</summary>
    public long AddressOf(int index) => Items[index].Address;

    /// <summary>Puts a record into the part that has begun.</summary>
    /// <param name="index">Its index.</param>
    /// <param name="record">Its bytes, which are copied.</param>
    /// <param name="size">Its size in bytes.</param>
    public void Put(int index, byte* record, long size)
    {
        ref Item item = ref Items[index];
        long space = End - _free - sizeof(long);
        Invariant.Check(size <= space, $"a part fits into the memory: {size} bytes at {item.Address} into {space}");
        *(long*)_free = item.Address;
        _free += sizeof(long);
        Buffer.MemoryCopy(record, _free, space, size);
        item.Record = (long)_free;
        _free += size;
    }

    /// <summary>Orders the records of the part again by the places of their entries; all have been put there.</summary>
    /// <returns>The places.</returns>
    public ReadOnlySpan<long> EndPart(int from, int to)
    {
        Span<Item> items = Items[from..to];
        items.Sort(static (a, b) => a.Place.CompareTo(b.Place));
        var places = new Span<long>(Rest, items.Length);
        for (int i = 0; i < items.Length; i++) places[i] = items[i].Place;
        return places;
    }

    /// <summary>A record of the part that has ended, with its address.</summary>
    public byte* RecordAt(int index, out long address)
    {
        var record = (byte*)Items[index].Record;
        address = *(long*)(record - sizeof(long));
        return record;
    }

    /// <summary>Forgets all records.</summary>
    public void Clear() => (Count, RecordBytes, CopiedBytes) = (0, 0, 0);

    /// <inheritdoc/>
    public void Dispose()
    {
        Sweep.Dispose();
        _memory.Dispose();
    }

    private long RestBytesWith(long count) => _shape.Records - (count * sizeof(Item));

    private struct Item
    {
        public long Place;
        public long Record; // its address and size, then a pointer to it

        public readonly long Address => Record & ((1L << AddressBits) - 1);

        public readonly long Size
        {
            get
            {
                long units = (long)((ulong)Record >> AddressBits);
                return units == LargeSize ? long.MaxValue / 2 : units * SizeUnit;
            }
        }
    }
}
