using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>
/// The values that begin in the part of the log that is compacted: their last chunks, which lie lowest, until the
/// record that leads to each is met; and the search for a record that lies above.
/// </summary>
/// <remarks>
/// At most eight chunks of a page are the last of a value, since a value that is written in chunks does not fit a page:
/// so what is noted here is small beside the page's copy. One user at a time, outside every epoch.
/// </remarks>
internal sealed unsafe class LargeHeads<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private const int FirstLook = 256; // bytes; most records with a head are smaller

    private readonly FasterStore<TProbe> _store;
    private readonly PagedLog<TProbe> _log;
    private readonly LogStorage _storage;
    private readonly PageCopy<TProbe> _copy;
    private readonly Dictionary<long, ulong> _open = []; // a value's lowest address → the hash of its key
    private EpochSlot* _slot;

    /// <summary>Knows of none.</summary>
    public LargeHeads(FasterStore<TProbe> store, PagedLog<TProbe> log, LogStorage storage, string owner)
    {
        (_store, _log, _storage) = (store, log, storage);
        _copy = new PageCopy<TProbe>(store.Epochs, log, storage, owner);
        _slot = store.Epochs.Acquire(owner);
    }

    /// <summary>Notes what a record says: that a value begins, or that this is where its chunks lead from.</summary>
    public void Note(in RecordWalker walker)
    {
        if (LargeHead.IsIn(walker.Header)) _open.Remove(Read(walker.Record).Lowest);
        else if (LargeChunk.Is(walker.Header) && LargeChunk.IsLast(walker.Record, out ulong hash))
            _open[walker.Address] = hash;
    }

    /// <summary>Finds the records, from an address on, of the values whose record was not met below it.</summary>
    /// <param name="from">Where the search begins; no record below it is linked to what was noted any more.</param>
    /// <param name="checkStop">Throws if the run is to stop.</param>
    /// <returns>Their addresses; whether they still count is not known.</returns>
    /// <exception cref="FasterException">The log could not be read.</exception>
    public List<long> FindFrom(long from, Action checkStop)
    {
        List<long> found = [];
        bool mustScan = false;
        foreach ((long lowest, ulong hash) in _open)
        {
            checkStop();
            if (hash == 0) mustScan = true;
            else if (Search(hash, lowest, from) is var address and not 0) found.Add(address);
        }

        if (mustScan) Scan(from, found, checkStop);
        return found;
    }

    /// <summary>Copies a record that nobody changes any more.</summary>
    /// <returns>The copy, valid until the next call.</returns>
    public byte* Load(long address)
    {
        bool isFrozen = !TProbe.Has(SeededBug.StraddlerNotFrozen);
        return LoadWhole(address, isFrozen ? _log.SafeFrozenAddress : long.MaxValue, out _);
    }

    /// <summary>The head in a record with a value in chunks: the end of its value slot.</summary>
    public LargeHead Read(byte* record) => LargeHead.AtEndOf(_log.Layout.Value(record));

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_slot == null) return;
        _store.Epochs.Release(_slot);
        _slot = null;
        _copy.Dispose();
    }

    // Along the chain of the key's hash, in memory and on disk.
    private long Search(ulong hash, long lowest, long from)
    {
        for (long address = ChainStart.Of(_store, _slot, hash); address >= from;)
        {
            byte* record = LoadWhole(address, long.MaxValue, out ulong header);
            if (IsHead(address, header) && Read(record).Lowest == lowest) return address;
            long next = MergeRecord.Next(record, header, hash);
            address = next < address ? next : throw _storage.NoRecord(address, header);
        }

        return 0;
    }

    // Chunks that do not tell the hash: a page's copy after the other, as far as there are records.
    private void Scan(long from, List<long> found, Action checkStop)
    {
        long end = _log.FreezeToTail();
        _log.Gate.WaitForAsync(() => _log.SafeFrozenAddress >= end, CancellationToken.None).GetAwaiter().GetResult();
        for (RecordBoundary at = _log.WalkStartOf(from); at.Address < end;)
        {
            checkStop();
            RecordWalker walker = _copy.Walk(ref at, end);
            while (walker.MoveNext())
            {
                if (!IsHead(walker.Address, walker.Header)) continue;
                if (_open.TryGetValue(Read(walker.Record).Lowest, out ulong hash) && hash == 0)
                    found.Add(walker.Address);
            }
        }
    }

    private bool IsHead(long address, ulong header) =>
        LargeHead.IsIn(header) && !_storage.IsAbandoned(address, header);

    // Only as much of its page as the record needs: most searches read one block.
    private byte* LoadWhole(long address, long end, out ulong header)
    {
        end = Math.Min(_log.PageEndOf(address), end);
        for (long length = Math.Min(FirstLook, end - address); ;)
        {
            byte* record = _copy.Load(address, address + length);
            header = RecordHeader.Read(record);
            long size = _log.Layout.TrySize(record, length, end - address);
            if (size < 0 || size > end - address) throw _storage.NoRecord(address, header);
            if (size <= length) return record;
            length = size;
        }
    }
}
