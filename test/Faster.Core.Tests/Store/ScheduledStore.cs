using Faster.Caching;
using Faster.Checkpoints;
using Faster.Compaction;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;
using Faster.Tests.Log;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Store;

/// <summary>
/// The protocols over index and allocator with sessions of their own, and no thread of a store beside them: reads from
/// disk are walks over what the fake sink holds.
/// </summary>
/// <remarks>
/// Built and checked by the explorer's thread; else each session belongs to one scheduled thread. What a session does
/// around an attempt is a model here, for these tests are of protocols, index and allocators of any size and kind, by
/// the ten thousand: <see cref="ScheduledHost"/> runs the sessions, the reads and the flusher that ship.
/// </remarks>
internal sealed unsafe class ScheduledStore<TShape> : IDisposable
    where TShape : struct, IShape
{
    private readonly HashIndex<ScheduledProbe> _index;
    private readonly ReadCache<ScheduledProbe>? _cache;
    private readonly FakePageSink<ScheduledProbe> _sink = new(atOnce: true);
    private readonly MergeLedger _merges = new();
    private readonly Session[] _sessions;
    private readonly StoreClock _clock;
    private long _ended; // how many operations

    /// <summary>A store whose records lie in one chain.</summary>
    /// <param name="kind">Where records live.</param>
    /// <param name="sessions">How many threads there are.</param>
    /// <param name="cachePages">The pages of a read cache, or 0. Keys have hashes of their own then.</param>
    /// <param name="frozen">Whether they share one chain all the same, as in an index at its limit.</param>
    /// <param name="time">The time, where records expire.</param>
    /// <param name="buckets">How many buckets the index has.</param>
    /// <param name="isCoarse">Whether the time is read by a coarse clock, which stands still.</param>
    /// <param name="freeBatch">How many freed records a session passes on at once, in memory only.</param>
    public ScheduledStore(
        RecordAllocatorKind kind, int sessions, int cachePages = 0, bool frozen = true, ManualTime? time = null,
        long buckets = 1, bool isCoarse = false, int freeBatch = 128)
    {
        _clock = new StoreClock(time ?? new ManualTime(), coarse: isCoarse ? static () => 0 : null);
        if (time is not null) _clock.Begin(1, null);
        _index = new HashIndex<ScheduledProbe>(Epochs, buckets);
        var schema = new RecordSchema(8, 8, TShape.ValueSize, "key", "number");
        if (kind == RecordAllocatorKind.InMemory)
        {
            Log = new InMemoryAllocator<ScheduledProbe>(Epochs, schema, default, 1 << 20, 1 << 20, freeBatch);
        }
        else
        {
            var shape = new LogShape(schema, default, PageBits: 12, ResidentPages: 4, MutableFraction: 0.5);
            PagedLog<ScheduledProbe> log = kind == RecordAllocatorKind.Hybrid
                ? new HybridLog<ScheduledProbe>(Epochs, _sink, shape)
                : new AppendOnlyLog<ScheduledProbe>(Epochs, _sink, shape);
            _sink.Attach(log);
            Log = log;
            Giving = new GivingUp<ScheduledProbe>(log, new ScheduledWaits(Epochs));
        }

        if (cachePages != 0)
        {
            if (frozen) FrozenChain<ScheduledProbe>.Freeze(_index.State.Buckets);
            var shape = new LogShape(schema, default, PageBits: 12, cachePages, MutableFraction: 1);
            _cache = new ReadCache<ScheduledProbe>(Epochs, _index, Log, new CacheShape(shape, FilterBytes: 0));
            _cache.SetMemory((long)cachePages << 12);
        }

        Chunks = new ScheduledChunks(Epochs, Log as PagedLog<ScheduledProbe>, _sink);
        Seals = new PartSeals<ScheduledProbe>(Epochs, Log);
        _sessions = new Session[sessions];
        for (int i = 0; i < sessions; i++) _sessions[i] = new Session(this, i);
    }

    public EpochTable<ScheduledProbe> Epochs { get; } = new();

    public RecordAllocator<ScheduledProbe> Log { get; }

    public HashIndex<ScheduledProbe> Index => _index;

    /// <summary>The order of the steps by which the log's oldest part is given up; null in memory.</summary>
    public GivingUp<ScheduledProbe>? Giving { get; }

    public FakePageSink<ScheduledProbe> Sink => _sink;

    /// <summary>Values in chunks; not of a store in memory.</summary>
    public ScheduledChunks Chunks { get; }

    public CommitState<ScheduledProbe> Commits { get; } = new(RecordHeader.FirstVersion, PendingOrder.Strict, 1);

    /// <summary>What collapses keep from being updated.</summary>
    public PartSeals<ScheduledProbe> Seals { get; }

    /// <summary>How many partial records were linked.</summary>
    public long Deltas => _merges.Appended;

    /// <summary>How often copies were found.</summary>
    public long CacheHits => _cache!.Hits;

    /// <summary>What a session writes lives so many milliseconds; 0 for ever.</summary>
    public void SetTimeToLive(int session, long milliseconds) => _sessions[session].SetTimeToLive(milliseconds);

    /// <summary>What a session writes lives up to a moment, as what is imported does.</summary>
    public void SetLifeUntil(int session, long moment) => _sessions[session].Live(Lifetime.Until(moment));

    /// <summary>Everything up to the tail becomes read-only.</summary>
    public void Freeze() => ((PagedLog<ScheduledProbe>)Log).FreezeToTail();

    /// <summary>Sends everything to disk. Before the threads start.</summary>
    public void Spill()
    {
        long tail = Log.TailAddress;
        Freeze();
        while (Log.HeadAddress < tail)
            if (!Log.TryAllocate(null, 1 << 11, out _)) Epochs.Drain();
    }
    /// <summary>Takes what has expired out of the chain; in memory only.</summary>
    public void Sweep(int session) => _sessions[session].Sweep();

    public long? Get(int session, long key)
    {
        var operation = default(ProbedOperations.Get<TShape>);
        Status status = _sessions[session]
            .Run<ReadProtocol<ScheduledProbe, ProbedOperations.Get<TShape>>, ProbedOperations.Get<TShape>>(
                key, ref operation);
        return status == Status.Ok ? operation.Value : null;
    }

    public void Put(int session, long key, long number, int length = 16)
    {
        var operation = new ProbedOperations.Put<TShape>(number, length);
        _ = _sessions[session]
            .Run<UpsertProtocol<ScheduledProbe, ProbedOperations.Put<TShape>>, ProbedOperations.Put<TShape>>(
                key, ref operation);
    }

    public void Add(int session, long key, long amount, int length = 16)
    {
        if (TShape.ValueSize != 0) length = TShape.ValueSize;
        var operation = new ProbedOperations.Add<TShape>(amount, length);
        _ = _sessions[session]
            .Run<RmwProtocol<ScheduledProbe, ProbedOperations.Add<TShape>>, ProbedOperations.Add<TShape>>(
                key, ref operation);
    }

    public Status Remove(int session, long key)
    {
        var operation = default(ProbedOperations.Remove<TShape>);
        return _sessions[session]
            .Run<DeleteProtocol<ScheduledProbe, ProbedOperations.Remove<TShape>>, ProbedOperations.Remove<TShape>>(
                key, ref operation);
    }

    /// <summary>Copies a record to the tail, if it is its key's newest.</summary>
    public Status Copy(int session, long key, long above, byte[] value, ulong flags = 0)
    {
        var operation = new ProbedOperations.Copy(above, value, flags);
        return _sessions[session]
            .Run<ConditionalInsertProtocol<ScheduledProbe, ProbedOperations.Copy>, ProbedOperations.Copy>(
                key, ref operation);
    }

    /// <summary>Copies a record to the tail with all partial values of its key, if it counts among them.</summary>
    public Status Collapse(
        int session, long key, long above, byte[] value, bool isPartial, long expiry = RecordExpiry.Never)
    {
        var operation = new ProbedCollapse(above, value, isPartial, Seals) { Expiry = expiry };
        return Collapse(session, key, ref operation);
    }

    /// <inheritdoc cref="Collapse(int, long, long, byte[], bool, long)"/>
    public Status Collapse(int session, long key, ref ProbedCollapse operation)
    {
        try
        {
            return _sessions[session].Run<CollapseProtocol<ScheduledProbe, ProbedCollapse>, ProbedCollapse>(
                key, ref operation);
        }
        catch when (operation.Sealed != 0)
        {
            Lift(session, operation.Sealed); // as when it is told
            throw;
        }
    }

    /// <summary>Adds to a record in the fuzzy region, so that a part is linked in front. Before the threads start.
    /// </summary>
    public void AddInFuzzyRegion(int session, long key, long amount)
    {
        EpochSlot* holder = Epochs.Acquire("the holder of the fuzzy region");
        Epochs.Enter(holder);
        Freeze();
        Add(session, key, amount);
        Epochs.Leave(holder);
        Epochs.Release(holder);
    }

    /// <summary>Keeps a record from being updated, as a collapse does first.</summary>
    public void Seal(int session, long address) => _sessions[session].Seal(address);

    /// <summary>Lets it be updated again, as a collapse does that has to wait for something else.</summary>
    public void Lift(int session, long address) => _sessions[session].Lift(address);

    /// <summary>Puts bulky records of other keys, from 1000 on, until the head has left the first page.</summary>
    public void PushHead()
    {
        for (long key = 1000; Log.HeadAddress < 1 << 12; key++) Put(0, key, key);
    }

    /// <summary>Gives up the first page.</summary>
    public void RaiseBegin() => ScheduledWaits.Run(Giving!.RunAsync(1 << 12, AtOnce));

    /// <summary>What is frozen has been flushed: the sink does it at once.</summary>
    public static Task AtOnce(long address) => Task.CompletedTask;

    /// <summary>Doubles or halves the index, to the end.</summary>
    public void Resize(int session, ResizeKind kind)
    {
        Assert.True(_index.TryStart(kind, _cache!, static () => { }), $"The index can't be resized: {kind}");
        _sessions[session].DriveResize();
    }

    /// <summary>Whether the index has an entry for a key.</summary>
    public bool HasEntry(long key)
    {
        Assert.True(_index.TryLocate(HashOf(key), out BucketRef bucket));
        return HashIndex<ScheduledProbe>.Find(bucket.Bucket, HashBits.TagOf(HashOf(key)), out _) != null;
    }

    /// <summary>Links a record to a value whose chunks have been written, or writes them again.</summary>
    public void PutPrepared(int session, long key, LargeWrite<ScheduledProbe> prepared)
    {
        var operation = default(ProbedOperations.Put<TShape>);
        _ = _sessions[session]
            .Run<UpsertProtocol<ScheduledProbe, ProbedOperations.Put<TShape>>, ProbedOperations.Put<TShape>>(
                key, ref operation, prepared);
    }

    /// <summary>The address in the log behind one of the read cache.</summary>
    public long CacheBehind(long address) => _cache!.Behind(address);

    public void AwaitEpoch()
    {
        bool safe = false;
        Epochs.Bump(() => safe = true);
        while (!safe) ScheduledProbe.Point(ProbePoint.Wait);
    }

    /// <summary>How many records of a key the chain holds in memory, those taken out of use not counted.</summary>
    public int CountInChain(long key)
    {
        ulong* slot = Find(out ulong word);
        int count = 0;
        for (long at = slot == null ? 0 : HashIndex<ScheduledProbe>.AddressOf(word); at >= Log.HeadAddress;)
        {
            byte* record = Log.Pointer(at);
            ulong header = RecordHeader.Read(record);
            Assert.True((header & RecordHeader.Latch) == 0, "A latch was left behind.");
            bool leftover = Log.Splices && (header & RecordHeader.Sealed) != 0;
            Assert.False(leftover, "A record that was taken out is still linked.");
            if (*(long*)(record + 8) == key && (header & (RecordHeader.Sealed | RecordHeader.Tombstone)) == 0) count++;
            at = RecordHeader.Previous(header);
        }

        return count;
    }

    public void Dispose()
    {
        Assert.Equal(0, Epochs.PendingActions);
        Log.Dispose();
        _cache?.Dispose();
        _index.Dispose();
    }

    public ulong HashOf(long key) => _cache is null ? ChainKey.OneHash : KeyHash.Of((ulong)key, default);

    private ulong* Find(out ulong word)
    {
        Assert.True(_index.TryLocate(ChainKey.OneHash, out BucketRef bucket));
        return HashIndex<ScheduledProbe>.Find(bucket.Bucket, HashBits.TagOf(ChainKey.OneHash), out word);
    }

    private sealed class Session(ScheduledStore<TShape> store, int number)
    {
        private readonly EpochSlot* _slot = store.Epochs.Acquire($"session {number}");
        private readonly Attempt<ScheduledProbe> _attempt = new(
            store._index, store.Log, store.Commits, store.Log.Splices ? new FreeLists() : null, store._cache,
            store._merges, store._clock);

        private readonly FreeLists _swept = new();

        public void Sweep()
        {
            store.Epochs.Enter(_slot);
            _ = new ExpirySweep<ScheduledProbe>(store._index, store.Log, store._clock).Sweep(_swept, 1);
            store.Epochs.Leave(_slot);
        }

        public void SetTimeToLive(long milliseconds) => Live(Lifetime.Of(milliseconds));

        public void Live(Lifetime life)
        {
            _attempt.Clock.SetOwn(life, null);
            _attempt.SetVersion(RecordHeader.FirstVersion, committing: 0, exclusive: false, mayCopy: true);
        }

        public void DriveResize() => store._index.DriveResize(_slot, () =>
        {
            store.Epochs.Drain();
            ScheduledProbe.Point(ProbePoint.Wait);
            return true;
        });

        public Status Run<TProtocol, TOperation>(
            long key, ref TOperation operation, LargeWrite<ScheduledProbe>? prepared = null)
            where TProtocol : struct, IProtocol<ScheduledProbe, TOperation>
            where TOperation : struct, IOperation
        {
            DiskRecord? disk = null;
            for (;;)
            {
                store.Epochs.Enter(_slot);
                _attempt.Large.Prepared = prepared;
                Outcome outcome = Try<TProtocol, TOperation>(key, ref operation, disk, prepared is null);
                if (outcome == Outcome.Oversized) prepared = _attempt.Large.Prepared;
                _attempt.Large.Prepared = null;
                _attempt.Unpin();
                store.Epochs.Leave(_slot);
                if (outcome <= Outcome.NotFound)
                {
                    prepared?.End();
                    store._ended++;
                    return (Status)(int)outcome;
                }

                if (outcome == Outcome.Oversized)
                {
                    store.Chunks.Write(prepared!, store.HashOf(key));
                    continue;
                }

                if (outcome == Outcome.Large)
                {
                    Gather(disk ??= new DiskRecord());
                    continue;
                }

                if (outcome == Outcome.Expired) continue;
                if (outcome == Outcome.OnDisk)
                {
                    ScheduledProbe.Point(ProbePoint.RegionMarker);
                    Walk(_attempt.Wanted, _attempt.WantedFloor, key, disk ??= new DiskRecord());
                    continue;
                }

                if (outcome == Outcome.Growing && store._index.HelpResize(_slot, out _)) continue;
                if (outcome == Outcome.NoRoom && store.Log.Splices) store.Epochs.Bump(static () => { });
                else store.Epochs.Drain();

                // More than one turn: two sessions that wait for a third must not keep the scheduler to themselves.
                long seen = store._ended;
                for (int turn = 0; turn < 3 && store._ended == seen; turn++) ScheduledProbe.Point(ProbePoint.Wait);
            }
        }

        private Outcome Try<TProtocol, TOperation>(
            long key, ref TOperation operation, DiskRecord? disk, bool mayHit)
            where TProtocol : struct, IProtocol<ScheduledProbe, TOperation>
            where TOperation : struct, IOperation
        {
            try
            {
                return mayHit && disk is null && TryHit<TProtocol, TOperation>(key, ref operation)
                    ? Outcome.Ok
                    : TProtocol.TryUnderEpoch<ChainKey, AtRest>(
                        _attempt, new ChainKey(key), store.HashOf(key), ref operation, disk);
            }
            catch
            {
                _attempt.Abandon();
                store.Epochs.Leave(_slot);
                throw;
            }
        }

        private void Gather(DiskRecord disk)
        {
            long address = _attempt.Wanted;
            LargeHead head = _attempt.Large.Wanted;
            Assert.True(head.IsSound(address));
            ScheduledProbe.Point(ProbePoint.RegionMarker);
            if (store.Chunks.Gather(head) is { } value) disk.SetGathered(address, value);
            else disk.Clear();
        }

        public void Seal(long address)
        {
            store.Epochs.Enter(_slot);
            _ = store.Seals.TrySeal(store.Log.Pointer(address), address);
            store.Epochs.Leave(_slot);
        }

        public void Lift(long address) => store.Seals.Lift(_slot, address);

        // As a session does first: the entry is found, and used a moment later.
        private bool TryHit<TProtocol, TOperation>(long key, ref TOperation operation)
            where TProtocol : struct, IProtocol<ScheduledProbe, TOperation>
            where TOperation : struct, IOperation
        {
            if (!_attempt.Quiet.TryUse()) return false;
            ulong word = _attempt.Quiet.FindFirst(store.HashOf(key));
            ScheduledProbe.Point(ProbePoint.IndexScan);
            return TProtocol.TryHit(_attempt, new ChainKey(key), word, ref operation)
                || (_attempt.Clock.MayExpire
                    && TProtocol.TryHitExpiring(_attempt, new ChainKey(key), word, ref operation));
        }

        private void Walk(long start, long floor, long key, DiskRecord disk)
        {
            disk.Clear();
            disk.Floor = floor;
            disk.Newer.Add(_attempt.Partials);
            for (long address = start; address >= floor;)
            {
                ScheduledProbe.Point(ProbePoint.RegionMarker);
                if (address < store.Log.BeginAddress) return;
                ReadOnlySpan<byte> record = store._sink.Read(address);
                ulong header = BitConverter.ToUInt64(record);
                if (BitConverter.ToInt64(record[8..]) == key)
                {
                    if ((header & RecordHeader.Tombstone) != 0)
                    {
                        disk.SetDeleted(start, address);
                        return;
                    }

                    int at = 16 + RecordExpiry.SizeIn(header);
                    long expiry = at == 16 ? RecordExpiry.Never : BitConverter.ToInt64(record[16..]);
                    ReadOnlySpan<byte> value = TShape.ValueSize != 0
                        ? record.Slice(at, TShape.ValueSize)
                        : record.Slice(at + 8, BitConverter.ToInt32(record[at..]));
                    if ((header & RecordHeader.Delta) == 0)
                    {
                        bool isLarge = (header & RecordHeader.Large) != 0;
                        disk.SetFound(start, address, value, isLarge, expiry);
                        return;
                    }

                    disk.AddPartial(address, value);
                }

                address = RecordHeader.Previous(header);
            }

            disk.SetAbsent(start);
        }
    }
}
