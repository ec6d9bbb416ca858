using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;

namespace Faster.Caching;

/// <summary>
/// Keeps copies of read-hot records that are on disk in a circular log of its own (paper 000, App. D; 003 §7).
/// </summary>
/// <remarks>
/// <para>The copies of a chain stand between the index entry and the chain of the log, as its <em>cached prefix</em>:
/// entry → copy → copy → newest record in the log → … The sign of a chain address tells which log it is of.
/// </para>
/// <para><b>Invariants.</b> (1) A copy in a prefix stands for its key's newest record, which is on disk. It was when
/// the copy was linked: see <see cref="IsNewest"/>. And it is as long as the copy is linked, because whoever links a
/// record of the log swaps the entry from the word that leads to the prefix to its own record, which leads to the chain
/// behind the prefix: with a newer record of any key of the chain the whole prefix has gone, which is always allowed.
/// Records of the log are never linked behind a prefix. (2) Addresses fall along a prefix: a copy takes its room after
/// its maker has read the word that it will replace. (3) What is read from a chain address within an epoch stays there
/// until the epoch is left: <see cref="CacheEvictor{TProbe}"/>.</para>
/// <para>So operations take a copy for the record on disk that it stands for, without waiting. They need not look at
/// its version: what is on disk was never of a version after that of the operation (docs/READCACHE.md).</para>
/// <para>Thread-safe and latch-free; under the caller's epoch. Nothing here is waited for: a copy for which there is no
/// room, or that somebody has outrun, is not made.</para>
/// </remarks>
internal sealed unsafe class ReadCache<TProbe> : IChainResizer, IDisposable
    where TProbe : struct, IProbe
{
    private const int StepsForEachCopy = 32;
    private const int MissesForEachBalance = 256;

    private readonly EpochTable<TProbe> _epochs;
    private readonly HashIndex<TProbe> _index;
    private readonly RecordAllocator<TProbe> _primary;
    private readonly CacheShape _shape;
    private AdmissionFilter? _filter;
    private readonly List<CacheTally> _tallies = [];
    private CacheLog<TProbe>? _log;
    private CacheEvictor<TProbe>? _evictor;
    private long _endedHits, _endedMisses, _endedFirstHits, _endedNearMisses;
    private bool _isFull; // a hint: copies have been evicted to make room for others

    /// <summary>An empty cache, which takes no memory before <see cref="SetMemory"/> has given it some.</summary>
    /// <param name="epochs">The epochs of its users.</param>
    /// <param name="index">The index, whose entries lead to copies.</param>
    /// <param name="primary">The log whose records are copied.</param>
    /// <param name="shape">The layout in memory.</param>
    public ReadCache(
        EpochTable<TProbe> epochs, HashIndex<TProbe> index, RecordAllocator<TProbe> primary, CacheShape shape) =>
        (_epochs, _index, _primary, _shape) = (epochs, index, primary, shape);

    /// <summary>
    /// Called when the first copy is to be made, and now and then after misses and appends: may call
    /// <see cref="SetMemory"/>. Runs within an epoch, so that it must return at once.
    /// </summary>
    public Action? Balance { get; set; }

    /// <summary>How much of the log below its head is watched for records that come back from there soon.</summary>
    public long NearBytes { get; init; }

    /// <summary>The bytes of copies.</summary>
    public long BytesInMemory => Volatile.Read(ref _log)?.BytesInMemory ?? 0;

    /// <summary>Whether what <see cref="SetMemory"/> asked for is in effect.</summary>
    public bool IsWithinMemory => Volatile.Read(ref _log)?.IsWithinMemory ?? true;

    /// <summary>How often operations have found their record in the cache.</summary>
    public long Hits => Sum(static tally => Volatile.Read(ref tally.Hits), ref _endedHits);

    /// <summary>How often they had to read it from disk.</summary>
    public long Misses => Sum(static tally => Volatile.Read(ref tally.Misses), ref _endedMisses);

    /// <summary>How often a copy was found for the first time since it was written.</summary>
    public long FirstHits => Sum(static tally => Volatile.Read(ref tally.FirstHits), ref _endedFirstHits);

    /// <summary>
    /// How often a record was read from disk that had been in memory a little while ago; or was written anew, which is
    /// a fraction of the work.
    /// </summary>
    public long NearMisses => Sum(static tally => tally.AllNear, ref _endedNearMisses);

    /// <summary>
    /// Changes how much memory copies may take. More is there at once; less when enough has been evicted. Called by one
    /// thread at a time.
    /// </summary>
    public void SetMemory(long bytes)
    {
        if (_log is null)
        {
            if (bytes == 0) return;
            var log = new CacheLog<TProbe>(_epochs, _shape.Log);
            _evictor = new CacheEvictor<TProbe>(_index, log, _shape.Log.Seed);
            _filter = new AdmissionFilter(_shape.FilterBytes);
            Volatile.Write(ref _log, log);
        }

        int before = _log.ResidentPages;
        _log.SetMemory(bytes);
        if (_log.ResidentPages > before) _isFull = false;
    }

    /// <summary>A tally for a session.</summary>
    public CacheTally Enlist()
    {
        var tally = new CacheTally();
        lock (_tallies) _tallies.Add(tally);
        return tally;
    }

    /// <summary>A session has ended.</summary>
    public void Retire(CacheTally tally)
    {
        lock (_tallies)
        {
            if (!_tallies.Remove(tally)) return;
            _endedHits += tally.Hits;
            _endedMisses += tally.Misses;
            _endedFirstHits += tally.FirstHits;
            _endedNearMisses += tally.AllNear;
        }
    }

    /// <summary>The address in the log of the newest record of a chain.</summary>
    /// <param name="address">A chain address.</param>
    public long Behind(long address)
    {
        while (address < 0)
        {
            TProbe.Point(ProbePoint.CacheChain);
            address = CachedRecord.Previous(RecordHeader.Read(_log!.Pointer(address)));
        }

        return address;
    }

    /// <summary>Finds the key's copy in a prefix.</summary>
    /// <param name="key">The key.</param>
    /// <param name="address">A chain address; becomes that of the log behind the prefix when there is no copy.</param>
    /// <param name="tally">The tally of the session.</param>
    /// <returns>The copy, key at <see cref="RecordHeader.Size"/>; or null.</returns>
    public byte* Find<TKey>(scoped TKey key, ref long address, CacheTally tally)
        where TKey : struct, IKey, allows ref struct
    {
        while (address < 0)
        {
            TProbe.Point(ProbePoint.CacheChain);
            byte* record = _log!.Pointer(address);
            ulong header = RecordHeader.Read(record);
            if (key.Matches(record + RecordHeader.Size)
                && CachedRecord.Own(record, header) >= _primary.BeginAddress)
            {
                tally.Hits++;
                if (CachedRecord.Uses(header) == 0) tally.FirstHits++;
                CachedRecord.Touch(record, header);
                return record;
            }

            address = CachedRecord.Previous(header);
        }

        return null;
    }

    /// <summary>An operation has done with what it has read from disk.</summary>
    /// <param name="own">The address of its record; 0 when there was none.</param>
    /// <param name="tally">The tally of the session.</param>
    public void OnMiss(long own, CacheTally tally)
    {
        if (own != 0 && own >= _primary.HeadAddress - NearBytes) tally.NearMisses++;
        if (++tally.Misses % MissesForEachBalance == 0) Rebalance();
    }

    /// <summary>An operation has linked a record to a chain of the log.</summary>
    /// <param name="chain">The address of the chain's newest record until then.</param>
    /// <param name="tally">The tally of the session.</param>
    public void OnAppend(long chain, CacheTally tally)
    {
        long head = _primary.HeadAddress;
        if (chain >= head || chain < Math.Max(head - NearBytes, 1)) return;
        if (++tally.NearAppends % (MissesForEachBalance * CacheTally.AppendsForEachMiss) == 0) Rebalance();
    }

    /// <summary>Copies a record that was read from disk, if it is worth it and nothing stands in the way.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="chainStart">Where the walk on disk began that found the record: its newest one from there.</param>
    /// <param name="own">The record's address.</param>
    /// <param name="value">Its value.</param>
    /// <param name="expiry">When it expires: the copy expires with it.</param>
    public void Add<TKey>(
        scoped TKey key, ulong hash, long chainStart, long own, ReadOnlySpan<byte> value,
        long expiry = RecordExpiry.Never)
        where TKey : struct, IKey, allows ref struct
    {
        if (!TryMakeRoom(hash, out CacheLog<TProbe>? log) || !_index.TryLocate(hash, out BucketRef at)) return;
        try
        {
            ulong* slot = HashIndex<TProbe>.Find(at.Bucket, HashBits.TagOf(hash), out ulong word);
            if (slot == null) return;
            long previous = HashIndex<TProbe>.AddressOf(word);
            if (!TProbe.Has(SeededBug.FillWithoutProof) && !IsNewest(key, hash, previous, chainStart)) return;
            if (!TryWrite(log, key, previous, own, value, expiry, out long address)) return;
            if (HashIndex<TProbe>.TryReplace(slot, word, address)) return;
            byte* lost = log.Pointer(address);
            RecordHeader.Write(lost, CachedRecord.AsInvalid(RecordHeader.Read(lost)));
        }
        finally
        {
            _index.Unpin(at);
        }
    }

    /// <summary>Evicts until the memory given is kept, or somebody else stands in the way.</summary>
    /// <param name="slot">The caller's slot; the caller is outside every epoch.</param>
    public void Shrink(EpochSlot* slot)
    {
        for (int done = 1; done != 0 && !IsWithinMemory;)
        {
            _epochs.Enter(slot);
            try
            {
                done = _evictor!.Run(_primary.BeginAddress, StepsForEachCopy);
            }
            finally
            {
                _epochs.Leave(slot);
            }
        }
    }

    /// <inheritdoc/>
    /// <remarks>Copies stay behind, unreachable: what is still hot comes back at its next read from disk.</remarks>
    public void Split(long head, in SplitRule rule, out long left, out long right) =>
        _primary.Split(Behind(head), rule, out left, out right);

    /// <inheritdoc/>
    /// <remarks>A chain that is joined with none keeps its copies; of two that are joined they stay behind.</remarks>
    public bool TryMerge(long left, long right, ulong hash, long largerBucketCount, out long head)
    {
        head = left + right;
        if ((left == 0 || right == 0) && head < 0) return true;
        return _primary.TryMerge(Behind(left), Behind(right), hash, largerBucketCount, out head);
    }

    /// <inheritdoc/>
    public void Dispose() => _log?.Dispose();

    /// <summary>Seeded bug: a writer's record goes behind the prefix, which still holds its key's old value.</summary>
    public void LinkBehind(long address, long behind)
    {
        byte* last = null;
        for (; address < 0; address = CachedRecord.Previous(RecordHeader.Read(last))) last = _log!.Pointer(address);
        RecordHeader.Write(last, CachedRecord.WithPrevious(RecordHeader.Read(last), behind));
    }

    // Why the record from disk is the key's newest when its copy is linked. This walk finds no record of the key, from
    // the word of the entry down to where memory ends, and it ends where the walk on disk began; what that has passed
    // is immutable. So the record was the newest one when the word was read. The copy is linked by a swap from that
    // word; a chain's newest record in the log only ever gets newer, so that equal words lead to the same one, and no
    // record has been linked between.
    private bool IsNewest<TKey>(scoped TKey key, ulong hash, long address, long chainStart)
        where TKey : struct, IKey, allows ref struct
    {
        while (address < 0)
        {
            TProbe.Point(ProbePoint.CacheChain);
            byte* record = _log!.Pointer(address);
            if (key.Matches(record + RecordHeader.Size)) return false;
            address = CachedRecord.Previous(RecordHeader.Read(record));
        }

        return _primary.Find(key, hash, _primary.HeadAddress, ref address, out _) == null && address == chainStart;
    }

    private void Rebalance()
    {
        if (Volatile.Read(ref _log) is not { } log) return;
        Balance?.Invoke();
        if (!log.IsWithinMemory) _evictor!.Run(_primary.BeginAddress, MissesForEachBalance);
    }

    private bool TryMakeRoom(ulong hash, [NotNullWhen(true)] out CacheLog<TProbe>? log)
    {
        if (Volatile.Read(ref _log) is null) Balance?.Invoke();
        log = Volatile.Read(ref _log);
        if (log is null || log.IsExhausted || (_isFull && !_filter!.Admits(hash))) return false;
        if (_evictor!.Run(_primary.BeginAddress, StepsForEachCopy) != 0) _isFull = true;
        return true;
    }

    private static bool TryWrite<TKey>(
        CacheLog<TProbe> log, scoped TKey key, long previous, long own, ReadOnlySpan<byte> value, long expiry,
        out long address)
        where TKey : struct, IKey, allows ref struct
    {
        int fixedSize = log.Layout.ValueSize;
        int slotSize = fixedSize != 0 ? RecordLayout.AlignUp(fixedSize) : VariableLength.ValueSlotSize(value.Length);
        bool hasOwn = own != previous;
        ulong flag = RecordExpiry.FlagFor(expiry);
        int before = RecordHeader.Size + key.SlotSize + RecordExpiry.SizeIn(flag);
        long size = before + (long)slotSize + (hasOwn ? sizeof(long) : 0);
        if (size > log.LargestRecord || !log.TryAllocate(null, (int)size, out address))
        {
            address = 0;
            return false;
        }

        byte* record = log.Pointer(address);
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
            *(int*)slot = value.Length;
            *(int*)(slot + 4) = slotSize - VariableLength.ValuePrefix;
            slot += VariableLength.ValuePrefix;
        }

        value.CopyTo(new Span<byte>(slot, value.Length));
        RecordHeader.Write(record, CachedRecord.Make(previous, 0, hasOwn) | flag);
        address = EntryWord.OfCache(address);
        return true;
    }

    private long Sum(Func<CacheTally, long> figure, ref long ended)
    {
        lock (_tallies) return ended + _tallies.Sum(figure);
    }
}
