using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Caching;

/// <summary>
/// Keeps copies of read-hot records that are on disk, in its own circular log (paper 000, App. D; 003 §7).
/// </summary>
/// <remarks>
/// <para>The copies of a chain lie between the index entry and the chain of the log, as its <em>cached prefix</em>:
/// entry → copy → copy → newest record in the log → … The sign of a chain address distinguishes the two logs.</para>
/// <para>Invariants:</para>
/// <list type="number">
/// <item>A copy in a prefix copies its key's newest record, which is on disk. This holds when
/// the copy is linked: see <see cref="IsNewest"/>. It holds as long as the copy is linked, because a thread that links
/// a record of the log swaps the entry from the word that leads to the prefix to its own record, which leads to the
/// chain behind the prefix: a newer record of any key of the chain drops the whole prefix, which is always allowed.
/// Records of the log are never linked behind a prefix.</item>
/// <item>Addresses fall along a prefix: the space for a copy is allocated after its maker has read the word that the
/// copy will replace.</item>
/// <item>What is read from a chain address within an epoch stays there until the epoch is left:
/// <see cref="CacheEvictor"/>.</item>
/// </list>
/// <para>So operations use a copy instead of the record on disk, without waiting. They need not check its version: a
/// record on disk never has a later version than the operation (docs/internals/read-cache-coherence.md).</para>
/// <para>Thread-safe and latch-free; runs under the caller's epoch. Nothing here waits: if there is no space for a
/// copy, or another thread changes the chain first, no copy is made.</para>
/// </remarks>
internal sealed unsafe class ReadCache : IChainResizer, IDisposable
{
    /// <summary>
    /// In place of the address of a copied record: it lies in a tier below, and no Begin ends the copy.
    /// </summary>
    public const long OfBelow = (1L << 48) - 8;

    // Behind the copies of a chain that has no record in the log: an address below every Begin.
    private const long Nothing = 8;

    private const int StepsForEachCopy = 32;
    private const int MissesForEachBalance = 256;

    private readonly EpochTable _epochs;
    private readonly HashIndex _index;
    private readonly HashEntries _entries;
    private readonly RecordAllocator _primary;
    private readonly CacheShape _shape;
    private AdmissionFilter? _filter;
    private readonly List<CacheCounters> _tallies = [];
    private CacheLog? _log;
    private CacheEvictor? _evictor;
    private long _endedHits, _endedMisses, _endedFirstHits, _endedNearMisses;
    private bool _isFull; // a hint: copies have been evicted to make space for others

    /// <summary>Creates an empty cache, which takes no memory before <see cref="SetMemory"/> is called.</summary>
    /// <param name="epochs">The epochs of its users.</param>
    /// <param name="index">The index, whose entries lead to copies.</param>
    /// <param name="primary">The log whose records are copied.</param>
    /// <param name="shape">The layout in memory.</param>
    public ReadCache(EpochTable epochs, HashIndex index, RecordAllocator primary, CacheShape shape) =>
        (_epochs, _index, _entries, _primary, _shape) = (epochs, index, new(index), primary, shape);

    /// <summary>
    /// Called before the first copy is made, and from time to time after misses and appends; may call
    /// <see cref="SetMemory"/>. Runs inside an epoch, so it must return immediately.
    /// </summary>
    public Action? Balance { get; set; }

    /// <summary>The size in bytes of the range below the log's head in which misses count as near misses.</summary>
    public long NearBytes { get; init; }

    /// <summary>The number of bytes of copies.</summary>
    public long BytesInMemory => Volatile.Read(ref _log)?.BytesInMemory ?? 0;

    /// <summary>Whether the cache is within the limit of the last <see cref="SetMemory"/>.</summary>
    public bool IsWithinMemory => Volatile.Read(ref _log)?.IsWithinMemory ?? true;

    /// <summary>Whether it will evict copies, for lack of memory, within the next page of new ones.</summary>
    public bool FillsMemory => _evictor is { SparePages: <= 0 };

    /// <summary>The number of times an operation found its record in the cache.</summary>
    public long Hits => Sum(static counters => Volatile.Read(ref counters.Hits), ref _endedHits);

    /// <summary>The number of times an operation had to read its record from disk.</summary>
    public long Misses => Sum(static counters => Volatile.Read(ref counters.Misses), ref _endedMisses);

    /// <summary>The number of times a copy was found for the first time since it was written.</summary>
    public long FirstHits => Sum(static counters => Volatile.Read(ref counters.FirstHits), ref _endedFirstHits);

    /// <summary>
    /// The number of times a record that had recently been in memory was read from disk; plus a fraction for each that
    /// was newly written, which is a fraction of the work.
    /// </summary>
    public long NearMisses => Sum(static counters => counters.AllNear, ref _endedNearMisses);

    /// <summary>
    /// Sets the memory limit of copies. An increase takes effect immediately; a decrease once enough has been evicted.
    /// Called by one thread at a time.
    /// </summary>
    public void SetMemory(long bytes)
    {
        if (_log is null)
        {
            if (bytes == 0) return;
            var log = new CacheLog(_epochs, _shape.Log);
            _evictor = new CacheEvictor(_index, log, _shape.Log.Seed);
            _filter = new AdmissionFilter(_shape.FilterBytes);
            Volatile.Write(ref _log, log);
        }

        int before = _log.ResidentPages;
        _log.SetMemory(bytes);
        if (_log.ResidentPages > before) _isFull = false;
    }

    /// <summary>Creates and registers the counters of a session.</summary>
    public CacheCounters Enlist()
    {
        var counters = new CacheCounters();
        lock (_tallies) _tallies.Add(counters);
        return counters;
    }

    /// <summary>Registers counters that were retired, for another session.</summary>
    public void EnlistAgain(CacheCounters counters)
    {
        counters.Reset();
        lock (_tallies) _tallies.Add(counters);
    }

    /// <summary>Adds the counters of a session that has ended to the totals, and unregisters them.</summary>
    public void Retire(CacheCounters counters)
    {
        lock (_tallies)
        {
            if (!_tallies.Remove(counters)) return;
            _endedHits += counters.Hits;
            _endedMisses += counters.Misses;
            _endedFirstHits += counters.FirstHits;
            _endedNearMisses += counters.AllNear;
        }
    }

    /// <summary>Returns the address in the main log of the newest record of a chain.</summary>
    /// <param name="address">A chain address.</param>
    public long Behind(long address)
    {
        while (address < 0)
        {
            Probe.Point(ProbePoint.CacheChain);
            address = CachedRecord.Previous(RecordHeader.Read(_log!.Pointer(address)));
        }

        return address;
    }

    /// <summary>Finds the key's copy in a prefix.</summary>
    /// <param name="key">The key.</param>
    /// <param name="address">
    /// A chain address; set to the address in the log behind the prefix if there is no copy.
    /// </param>
    /// <param name="counters">The counters of the session.</param>
    /// <returns>The copy, with its key at <see cref="RecordHeader.Size"/>; or null.</returns>
    public byte* Find<TKey>(scoped TKey key, ref long address, CacheCounters counters)
        where TKey : struct, IKey, allows ref struct
    {
        while (address < 0)
        {
            Probe.Point(ProbePoint.CacheChain);
            byte* record = _log!.Pointer(address);
            ulong header = RecordHeader.Read(record);
            if (key.Matches(record + RecordHeader.Size)
                && (CachedRecord.Own(record, header) >= _primary.BeginAddress
                    || (Probe.On && Probe.Has(SeededBug.CachedIgnoresBegin))))
            {
                counters.Hits++;
                if (CachedRecord.Uses(header) == 0) counters.FirstHits++;
                CachedRecord.Touch(record, header);
                return record;
            }

            address = CachedRecord.Previous(header);
        }

        return null;
    }

    /// <summary>Records that an operation has read its record from disk, and may rebalance the memory.</summary>
    /// <param name="own">The address of the operation's record; 0 if there was none.</param>
    /// <param name="counters">The counters of the session.</param>
    public void OnMiss(long own, CacheCounters counters)
    {
        if (own != 0 && own >= _primary.HeadAddress - NearBytes) counters.NearMisses++;
        if (++counters.Misses % MissesForEachBalance == 0) Rebalance();
    }

    /// <summary>
    /// Records that an operation has linked a record to a chain of the log, and may rebalance the memory.
    /// </summary>
    /// <param name="chain">The address of the chain's previous newest record.</param>
    /// <param name="counters">The counters of the session.</param>
    public void OnAppend(long chain, CacheCounters counters)
    {
        long head = _primary.HeadAddress;
        if (chain >= head || chain < Math.Max(head - NearBytes, 1)) return;
        if (++counters.NearAppends % (MissesForEachBalance * CacheCounters.AppendsForEachMiss) == 0) Rebalance();
    }

    /// <summary>
    /// Copies a record that was read from disk, if the filter admits it and no other thread interferes.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">The key's hash.</param>
    /// <param name="chainStart">
    /// The address at which the walk on disk started; the record is the key's newest from there on down.
    /// </param>
    /// <param name="own">The record's address.</param>
    /// <param name="value">The record's value.</param>
    /// <param name="expiry">The record's expiry, which the copy shares.</param>
    public void Add<TKey>(
        scoped TKey key, ulong hash, long chainStart, long own, ReadOnlySpan<byte> value,
        long expiry = RecordExpiry.Never)
        where TKey : struct, IKey, allows ref struct
    {
        if (!TryMakeSpace(hash, out CacheLog? log) || _entries.Locate(hash, out EntryRef entry) != Outcome.Ok)
            return;
        try
        {
            bool isFirst = _entries.Find(ref entry) != Outcome.Ok;
            if (isFirst && own != OfBelow) return;
            long previous = isFirst ? Nothing : entry.Address;
            long absentBelow = own == OfBelow ? _primary.BeginAddress : 0;
            if (!(Probe.On && Probe.Has(SeededBug.FillWithoutProof))
                && !IsNewest(key, hash, previous, chainStart, absentBelow))
                return;
            if (!log.TryWrite(key, previous, own, value, expiry, out long address)) return;
            Outcome linked = isFirst ? TryInsert(entry, address) : _entries.Replace(entry, address);
            if (linked == Outcome.Ok) return;
            byte* lost = log.Pointer(address);
            RecordHeader.Write(lost, CachedRecord.AsInvalid(RecordHeader.Read(lost)));
        }
        finally
        {
            _entries.Unpin(entry);
        }
    }

    /// <summary>Evicts until the cache is within its limit, or another thread prevents it.</summary>
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
    /// <remarks>
    /// Drops the copies, which become unreachable: a record that is still hot is copied again at its next read from
    /// disk.
    /// </remarks>
    public void Split(long head, in SplitRule rule, out long left, out long right)
    {
        _primary.Split(Behind(head), rule, out left, out right);
        if (Probe.On && Probe.Has(SeededBug.SplitKeepsCached) && head < 0 && left != 0) left = head;
    }

    /// <inheritdoc/>
    /// <remarks>
    /// A chain that is joined with an empty one keeps its copies; those of two joined chains are dropped.
    /// </remarks>
    public bool TryJoin(long left, long right, ulong hash, long largerBucketCount, out long head)
    {
        head = left + right;
        if ((left == 0 || right == 0) && head < 0) return true;
        if (Probe.On && Probe.Has(SeededBug.JoinKeepsCached) && left < 0)
        {
            head = left;
            return true;
        }

        return _primary.TryJoin(Behind(left), Behind(right), hash, largerBucketCount, out head);
    }

    /// <inheritdoc/>
    public void Dispose() => _log?.Dispose();

    /// <summary>
    /// Implements a seeded bug: links a writer's record behind the prefix, which still holds its key's old value.
    /// </summary>
    public void LinkBehind(long address, long behind)
    {
        byte* last = null;
        for (; address < 0; address = CachedRecord.Previous(RecordHeader.Read(last))) last = _log!.Pointer(address);
        RecordHeader.Write(last, CachedRecord.WithPrevious(RecordHeader.Read(last), behind));
    }

    // Proof that the record from disk is the key's newest when its copy is linked: this walk finds no record of the key
    // from the word of the entry down to the end of memory, and it ends where the walk on disk started; the records
    // that the latter passed are immutable. So the record was the newest one when the word was read. The copy is linked
    // by a swap from that word. A chain's newest record in the log only ever gets newer, so equal words lead to the
    // same record, and no record has been linked in between. Of a record of a tier below, the walk must only prove that
    // the key has none above: so it may also end below Begin.
    private bool IsNewest<TKey>(scoped TKey key, ulong hash, long address, long chainStart, long absentBelow)
        where TKey : struct, IKey, allows ref struct
    {
        while (address < 0)
        {
            Probe.Point(ProbePoint.CacheChain);
            byte* record = _log!.Pointer(address);
            if (key.Matches(record + RecordHeader.Size)) return false;
            address = CachedRecord.Previous(RecordHeader.Read(record));
        }

        return _primary.Find(key, hash, _primary.HeadAddress, ref address, out _) == null
            && (address == chainStart || address < absentBelow);
    }

    // A copy is not worth an error.
    private Outcome TryInsert(in EntryRef entry, long address)
    {
        try
        {
            return _entries.Insert(entry, address);
        }
        catch (LimitExceededException)
        {
            return Outcome.Retry;
        }
    }

    private void Rebalance()
    {
        if (Volatile.Read(ref _log) is not { } log) return;
        Balance?.Invoke();
        if (!log.IsWithinMemory) _evictor!.Run(_primary.BeginAddress, MissesForEachBalance);
    }

    private bool TryMakeSpace(ulong hash, [NotNullWhen(true)] out CacheLog? log)
    {
        if (Volatile.Read(ref _log) is null) Balance?.Invoke();
        log = Volatile.Read(ref _log);
        if (log is null || log.IsExhausted || (_isFull && !_filter!.Admits(hash))) return false;
        if (_evictor!.Run(_primary.BeginAddress, StepsForEachCopy) != 0) _isFull = true;
        return true;
    }

    private long Sum(Func<CacheCounters, long> figure, ref long ended)
    {
        lock (_tallies) return ended + _tallies.Sum(figure);
    }
}
