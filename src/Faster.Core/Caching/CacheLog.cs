using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Invariants;
using Faster.Log;
using Faster.Log.Records;

namespace Faster.Caching;

/// <summary>
/// The read cache's own circular log, in memory only (paper 000, App. D): it evicts where another log would flush.
/// </summary>
/// <remarks>
/// <para>Invariants, besides those of <see cref="PagedLog"/>, with the evictor in place of the sink:</para>
/// <list type="bullet">
/// <item>A page becomes read-only when two pages of the window are left, and safe when the epoch guarantees that all
/// threads that allocated space in it have filled it.</item>
/// <item>A page counts as flushed when no chain leads to it any more; then its frame is closed like any other.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class CacheLog : PagedLog
{
    /// <summary>Creates an empty log with the smallest window.</summary>
    public CacheLog(EpochTable epochs, LogShape shape)
        : base(epochs, NoSink.Instance, shape with { MutableFraction = 1 }) => SetMemory(0);

    /// <summary>The number of the page that contains the tail.</summary>
    public long TailPage => TailAddress >> PageBits;

    /// <summary>Whether the address space is used up, so that no more pages can be opened.</summary>
    public bool IsExhausted => TailPage + 2 >= Math.Min(LogTail.PageLimit, 1L << (RecordHeader.AddressBits - PageBits));

    /// <summary>Writes a copy, which its caller links to a prefix.</summary>
    /// <param name="key">The key.</param>
    /// <param name="previous">The chain address behind the copy.</param>
    /// <param name="own">The address of the record that is copied, or what stands for it.</param>
    /// <param name="value">The record's value.</param>
    /// <param name="expiry">Its expiry.</param>
    /// <param name="address">The chain address of the copy.</param>
    /// <returns>False: it does not fit, or there is no space.</returns>
    public unsafe bool TryWrite<TKey>(
        scoped TKey key, long previous, long own, ReadOnlySpan<byte> value, long expiry,
        out long address)
        where TKey : struct, IKey, allows ref struct
    {
        int fixedSize = Layout.ValueSize;
        long slotSize = fixedSize != 0 ? RecordLayout.AlignUp(fixedSize) : ValueLayout.SlotSize(value.Length);
        bool hasOwn = own != previous;
        ulong flag = RecordExpiry.FlagFor(expiry);
        int before = RecordHeader.Size + key.SlotSize + RecordExpiry.SizeIn(flag);
        long size = before + slotSize + (hasOwn ? sizeof(long) : 0);
        if (size > LargestRecord || !TryAllocate(null, (int)size, out address))
        {
            address = 0;
            return false;
        }

        byte* record = Pointer(address);
        if (hasOwn)
        {
            *(long*)record = own;
            record += sizeof(long);
            address += sizeof(long);
        }

        key.WriteTo(record + RecordHeader.Size);
        byte* slot = record + before;
        if (flag != 0) *(long*)(slot - RecordExpiry.Size) = expiry;
        if (fixedSize == 0)
        {
            ValueLayout.Begin(slot, value.Length, slotSize);
            slot += ValueLayout.Prefix;
        }

        value.CopyTo(new Span<byte>(slot, value.Length));
        RecordHeader.Write(record, CachedRecord.Make(previous, 0, hasOwn) | flag);
        address = EntryWord.OfCache(address);
        Invariant.Check(
            previous >= 0 || address > previous, $"addresses fall along a prefix: {address:x} leads to {previous:x}");
        return true;
    }

    /// <inheritdoc/>
    protected override void PublishReadOnly(long address) { }

    /// <inheritdoc/>
    protected override void PublishSafeReadOnly(long address) { }

    private sealed class NoSink : IPageSink
    {
        public static readonly NoSink Instance = new();

        public int SectorSize => RecordHeader.Size;

        public bool HasFailed => false;

        public void Wake() { }

        public void ThrowIfFailedAgain() { }
    }
}
