using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Faster.Chains;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.InMemory;
using Faster.Log.Records;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Tables;

/// <summary>
/// Records in memory with a <see cref="LockWord"/> each, in the hash chains of a tier with the in-memory allocator. A
/// record's address is that of its header, and its word is in front of that, so index, chains, splits and joins are
/// those of every tier.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A key has at most one linked record that is not gone. A thread that links, replaces or takes out a record
/// holds the lock of its key, so no other one does it at the same time.</item>
/// <item>A record is linked with its word exclusive, so that no other thread reads or locks it before its maker lets
/// it go.</item>
/// <item>A search that comes upon a record which was taken out finds its word gone, unless the word was exclusive at
/// the time: the thread that takes it out still has it. So a searcher that locks what it has found, or reads its word
/// before and after, has the record that counts.</item>
/// </list>
/// <para>Thread-safe, under the caller's epoch.</para>
/// </remarks>
internal sealed unsafe class RecordTable
{
    private readonly HashEntries _entries;
    private readonly InMemoryAllocator _log;
    private readonly int _valueSize;

    /// <summary>Makes the table of a tier.</summary>
    /// <param name="tier">The tier, with the in-memory allocator.</param>
    public RecordTable(Tier tier)
    {
        Tier = tier;
        _entries = new HashEntries(tier.Index);
        _log = (InMemoryAllocator)tier.Log;
        _valueSize = tier.Schema.ValueSize;
        Layout = tier.Layout;
    }

    /// <summary>Whose index and allocator the table uses.</summary>
    public Tier Tier { get; }

    /// <summary>The layout of the records, from their headers on.</summary>
    public RecordLayout Layout { get; }

    /// <summary>A record's lock word.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong* WordOf(byte* record) => (ulong*)(record - LockWord.Size);

    /// <summary>Locates the entry of a hash, once in an attempt.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>, or <see cref="Outcome.IndexResizing"/>: the caller leaves its epoch and helps.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome Locate(ulong hash, out EntryRef entry) => _entries.Locate(hash, out entry);

    /// <summary>Releases what <see cref="Locate"/> has pinned: once, before the epoch is left.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Unpin(in EntryRef entry) => _entries.Unpin(entry);

    /// <summary>Finds the entry of a located hash, and fetches the first record into the processor's caches.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Prefetch(ref EntryRef entry)
    {
        if (_entries.Find(ref entry) != Outcome.Ok || !Sse.IsSupported) return;
        Sse.Prefetch0((byte*)entry.Address - LockWord.Size);
        Sse.Prefetch0((byte*)entry.Address + RecordHeader.Size + LockWord.Size); // the value of a word
    }

    /// <summary>Finds the record of a key, in the chain as it is now.</summary>
    /// <returns>The record, or null.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Find<TKey>(scoped TKey key, ref EntryRef entry)
        where TKey : struct, IKey, allows ref struct
    {
        return _entries.Find(ref entry) == Outcome.Ok ? Search(key, entry.Address) : null;
    }

    /// <summary>Finds the record of a key in the chain from a record on.</summary>
    /// <param name="key">The key.</param>
    /// <param name="address">The first record, or 0.</param>
    /// <returns>The record, or null.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Search<TKey>(scoped TKey key, long address)
        where TKey : struct, IKey, allows ref struct
    {
        while (address != 0)
        {
            byte* record = (byte*)address;
            Probe.Point(ProbePoint.TableSearch);
            byte* slot = record + RecordHeader.Size;
            if (TKey.IsWord ? *(ulong*)slot == key.Word : key.Matches(slot)) return record;
            address = RecordHeader.Previous(RecordHeader.Read(record));
        }

        return null;
    }

    /// <summary>Where the value of a record of a key lies.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* ValueSlotOf(byte* record, int keySlotSize) => record + RecordHeader.Size + keySlotSize;

    /// <summary>Makes a record that is not linked, with its key, and with its word exclusive.</summary>
    /// <param name="lists">The session's free lists.</param>
    /// <param name="key">The key.</param>
    /// <param name="length">The value's length in bytes.</param>
    /// <param name="capacity">The space for a value of variable length.</param>
    /// <param name="stamp">The stamp of its word.</param>
    /// <param name="record">The record; its value is zero.</param>
    /// <returns>False: leave the epoch, wait by <see cref="RecordAllocator.WaitForSpace"/>, try again.</returns>
    /// <exception cref="LimitExceededException">The record is too large, or memory is used up.</exception>
    public bool TryMake<TKey>(
        FreeLists lists, scoped TKey key, int length, long capacity, ulong stamp, out byte* record)
        where TKey : struct, IKey, allows ref struct
    {
        long slot = _valueSize != 0 ? RecordLayout.AlignUp(_valueSize) : ValueLayout.SlotSize(capacity);
        long size = LockWord.Size + RecordHeader.Size + key.SlotSize + slot;
        if (size > _log.LargestRecord && capacity > length)
            return TryMake(lists, key, length, length, stamp, out record);
        record = null;
        if (!_log.TryAllocate(lists, (int)Math.Min(size, int.MaxValue), out long address)) return false;
        record = (byte*)address + LockWord.Size;
        *WordOf(record) = LockWord.Exclusive | stamp;
        key.WriteTo(record + RecordHeader.Size);
        if (_valueSize == 0) ValueLayout.Begin(ValueSlotOf(record, key.SlotSize), length, slot);
        return true;
    }

    /// <summary>Frees a record that was never linked, or that is gone.</summary>
    public void Free(FreeLists lists, byte* record, bool everLinked) => _log.Free(
        lists, (long)record - LockWord.Size, (int)(LockWord.Size + Layout.RecordSize(record)), everLinked);

    /// <summary>
    /// Links a record that <see cref="TryMake"/> has made. The caller holds the lock of the key, which is absent.
    /// </summary>
    /// <exception cref="LimitExceededException">The system refuses memory for the index; nothing is linked.</exception>
    public void Link(byte* record, ref EntryRef entry)
    {
        Outcome linked;
        do
        {
            bool exists = _entries.Find(ref entry) == Outcome.Ok;
            RecordHeader.Write(record, RecordHeader.Make(entry.Address));
            Probe.Point(ProbePoint.RecordLink);
            linked = exists ? _entries.Replace(entry, (long)record) : _entries.Insert(entry, (long)record);
        }
        while (linked != Outcome.Ok);
    }

    /// <summary>
    /// Takes a record out of its chain, marks its word gone, and frees it; links another one in its place in the same
    /// step, if there is one. The caller has locked the record exclusively.
    /// </summary>
    /// <remarks>
    /// Always succeeds. Why it ends: it tries again only if the chain has changed, or if the record before is latched,
    /// by a thread that is in this loop for that one. The first record of a chain has none before it; so of all threads
    /// that work in a chain, the one nearest to its beginning goes on. No thread keeps a latch while it tries again.
    /// </remarks>
    public void TakeOut(FreeLists lists, byte* record, byte* replacement, ref EntryRef entry)
    {
        while (!TrySplice(record, replacement, ref entry))
            if (!(Probe.On && Probe.Wait(null))) Thread.SpinWait(8);
        LockWord.MarkGone(WordOf(record));
        Free(lists, record, everLinked: true);
    }

    // The header's latch keeps neighbors from linking this record again while it leaves (ChainSplicer): the lock word
    // says nothing to them, for they have others.
    private bool TrySplice(byte* record, byte* replacement, ref EntryRef entry)
    {
        bool latches = !(Probe.On && Probe.Has(SeededBug.TakenOutUnlatched));
        ulong header = RecordHeader.Read(record);
        if (latches && !RecordLatch.TryTake(record, out header)) return false;
        _ = _entries.Find(ref entry);
        long next = RecordHeader.Previous(header);
        if (replacement != null) RecordHeader.Write(replacement, RecordHeader.Make(next));
        var at = new ChainPosition { Entry = entry, Address = (long)record };
        long successor = replacement == null ? next : (long)replacement;
        bool isOut = ChainSplicer.Replace(_entries, _log, at, successor) == Outcome.Ok;
        if (latches) RecordLatch.Release(record, isOut ? header | RecordHeader.Sealed : header);
        return isOut;
    }
}
