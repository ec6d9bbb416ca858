using System.Runtime.InteropServices;
using Faster.Compaction.Copying;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Engines;
using Faster.Epochs;
using Faster.Expiry;
using Faster.Index;
using Faster.Index.Entries;
using Faster.Index.Resizing;
using Faster.Log;
using Faster.Log.InMemory;
using Faster.Log.Records;
using Faster.Opening;
using Faster.Operations;
using Faster.Operations.Journaling;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;
using Faster.Tests.Expiry;
using Faster.Tests.LogCommits;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Merging;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines;

/// <summary>
/// The sessions of a store under a controlled scheduler: those that ship, over a store that ships
/// (<see cref="ScheduledHost"/>), small enough for schedules by the ten thousand.
/// </summary>
/// <remarks>
/// Built and checked by the explorer's thread; else each session belongs to one scheduled thread. A read or a write of
/// the disk is made at once, at a point of the schedule, by the thread that wants it: what comes later, and from other
/// threads, is for <see cref="ScheduledCommit{TShape}"/>.
/// </remarks>
internal sealed unsafe class ScheduledStore<TShape> : IDisposable
    where TShape : struct, IShape
{
    private readonly ScheduledHost _host;
    private readonly FasterStore _store;
    private readonly FasterSession[] _sessions;
    private readonly bool _isOneChain;

    /// <summary>A store whose records lie in one chain.</summary>
    /// <param name="kind">Where records live.</param>
    /// <param name="sessions">How many threads there are.</param>
    /// <param name="cached">Whether there is a read cache, of four pages. Keys have hashes of their own then.</param>
    /// <param name="frozen">Whether they share one chain all the same, as in an index at its limit.</param>
    /// <param name="time">The time, where records expire.</param>
    /// <param name="buckets">How many buckets the index has.</param>
    /// <param name="isRecent">Whether the store's time counts as recent all the time.</param>
    /// <param name="freeBatch">How many freed records a session passes on at once, in memory only.</param>
    /// <param name="journal">The operation logs in front of the store; null: none.</param>
    public ScheduledStore(
        RecordAllocatorKind kind, int sessions, bool cached = false, bool frozen = true, ManualTime? time = null,
        long buckets = 1, bool isRecent = false, int freeBatch = StorePlan.DefaultFreeBatch, Journal? journal = null)
    {
        _host = new ScheduledHost(new ScheduledHostShape
        {
            Schema = Schema, Kind = kind, IsAtOnce = true,
            IsCached = cached, MutableFraction = 0.5, Buckets = buckets, FreeBatch = freeBatch,
            Time = time ?? new ManualTime(),
        });
        _store = _host.Store;
        _isOneChain = !cached;
        _store.Index.ByteLimit = long.MaxValue;
        if (time is not null) _store.Core.Clock.Begin(1, null, isMoment: true);
        if (isRecent) _store.Core.Clock.Publish();
        if (cached)
        {
            if (frozen) SharedTagChain.ShareTags(_store.Index.State.Buckets);
            _store.Cache!.SetMemory(ScheduledHost.Pages << ScheduledHost.PageBits);
        }

        if (Log is PagedLog log) Giving = new TruncationSteps(log, _host.Waits);
        HeldDeltas = new HeldDeltas(Epochs, Log);
        _store.Core.Journal = journal;
        _sessions = new FasterSession[sessions];
        for (int i = 0; i < sessions; i++) _sessions[i] = _store.StartSession();
        Rest();
    }

    /// <summary>The shape of the records.</summary>
    public static RecordSchema Schema { get; } = new(8, 8, TShape.ValueSize, "key", "number");

    public EpochTable Epochs => _store.Epochs;

    public RecordAllocator Log => _store.Log;

    /// <summary>The order of the steps that truncate the log's oldest part; null in memory.</summary>
    public TruncationSteps? Giving { get; }

    /// <summary>The store.</summary>
    public ScheduledHost Host => _host;

    /// <summary>What collapses keep from being updated.</summary>
    public HeldDeltas HeldDeltas { get; }

    /// <summary>How many deltas were linked.</summary>
    public long Deltas => _store.Tier.Merges.Appended;

    /// <summary>How often copies were found.</summary>
    public long CacheHits => _store.Cache!.Hits;

    /// <summary>The time to live of what a session writes, in milliseconds; 0: it never expires.</summary>
    public void SetTimeToLive(int session, long milliseconds) =>
        _sessions[session].TimeToLive = TimeSpan.FromMilliseconds(milliseconds);

    /// <summary>The same while other sessions are working.</summary>
    /// <param name="session">The session.</param>
    /// <param name="milliseconds">The time to live.</param>
    /// <param name="waits">Whether it waits for the epoch, as it has to.</param>
    public void ChangeTimeToLive(int session, long milliseconds, bool waits = true)
    {
        var life = Lifetime.Of(milliseconds);
        _sessions[session].Attempt.Clock.SetOwn(life, waits ? _host.Waits.SafeAsync : null);
        _sessions[session].Runner.ForgetQuiet();
    }

    /// <summary>Reads the time, as a thread does every few milliseconds.</summary>
    public void ReadTime() => _store.Core.Clock.Publish();

    /// <summary>Whether all updates take the latch.</summary>
    public bool LatchesAll => _store.Core.Clock.Unlatched.AreOver;

    /// <summary>What a session writes lives up to a moment, as what is imported does.</summary>
    public void SetLifeUntil(int session, long moment) => _sessions[session].SetLife(Lifetime.Until(moment));

    /// <summary>Everything up to the tail becomes read-only.</summary>
    public void ShiftReadOnly() => ((PagedLog)Log).ShiftReadOnlyToTail();

    /// <summary>Sends everything to disk. Before the threads start.</summary>
    public void Spill()
    {
        _host.Spill();
        Rest();
    }

    /// <summary>Takes what has expired out of the chain; in memory only.</summary>
    public void Sweep(int session)
    {
        EpochSlot* slot = _sessions[session].Slot;
        Epochs.Enter(slot);
        _ = _store.Tier.Sweep!.Sweep(_sessions[session].FreeLists!, 1);
        Epochs.Leave(slot);
    }

    /// <summary>Whether a session has noted the current epoch as quiet.</summary>
    public bool IsQuiet(int session) => Epochs.IsQuiet(_sessions[session].Slot->Quiet);

    /// <summary>Announces an operation on a key.</summary>
    public void Prefetch(int session, long key) => _sessions[session].Prefetch(KeyOf(key));

    public long? Get(int session, long key)
    {
        var look = new Look();
        var operation = new ProbedOperations.Get<TShape> { Told = look };
        Status status = _sessions[session].Read(KeyOf(key), ref operation);
        if (status != Status.Pending) return status == Status.Ok ? operation.Value : null;
        Complete(session);
        return look.Status == Status.Ok ? look.Value : null;
    }

    public void Put(int session, long key, long number, int length = 16)
    {
        var operation = new ProbedOperations.Put<TShape>(number, length);
        Ended(session, _sessions[session].Upsert(KeyOf(key), ref operation));
    }

    public void Add(int session, long key, long amount, int length = 16) =>
        _ = AddWithStatus(session, key, amount, length);

    /// <summary>Adds, and tells whether that has created the key's record.</summary>
    public Status AddWithStatus(int session, long key, long amount, int length = 16)
    {
        if (TShape.ValueSize != 0) length = TShape.ValueSize;
        var told = new Look();
        var operation = new ProbedOperations.Add<TShape>(amount, length) { Told = told };
        Status status = _sessions[session].Rmw(KeyOf(key), ref operation);
        Ended(session, status);
        return status == Status.Pending ? told.Status!.Value : status;
    }

    public Status Remove(int session, long key)
    {
        var operation = default(ProbedOperations.Remove<TShape>);
        Status status = _sessions[session].Delete(KeyOf(key), ref operation);
        Assert.NotEqual(Status.Pending, status); // it does not wait for the disk
        return status;
    }

    /// <summary>Copies a record to the tail, if it is its key's newest.</summary>
    public void Copy(int session, long key, long above, byte[] value, ulong flags = 0)
    {
        var copy = new ProbedOperations.Copy(above, value, flags);
        _ = Insert<
            ConditionalInsertAlgorithm<HashEntries, ProbedOperations.Copy>,
            ProbedOperations.Copy>(session, key, ref copy);
    }

    /// <summary>Copies a record to the tail with all deltas of its key, if it counts among them.</summary>
    public Status? Collapse(
        int session, long key, long above, byte[] value, bool isDelta, long expiry = RecordExpiry.Never) =>
        Collapse(session, key, new ProbedCollapse(above, value, isDelta, HeldDeltas) { Expiry = expiry });

    /// <inheritdoc cref="Collapse(int, long, long, byte[], bool, long)"/>
    public Status? Collapse(int session, long key, ProbedCollapse operation)
    {
        var told = new Look();
        operation = operation with { Told = told, Release = address => Lift(session, address) };
        try
        {
            Status status = Insert<
                CollapseAlgorithm<HashEntries, ProbedCollapse>, ProbedCollapse>(
                session, key, ref operation);
            return status == Status.Pending ? told.Status : status;
        }
        catch when (told.Status is null)
        {
            if (operation.Sealed != 0) Lift(session, operation.Sealed); // as when it is told
            throw;
        }
    }

    /// <summary>Adds to a record in the fuzzy region, so that a delta is linked in front. Before the threads start.
    /// </summary>
    public void AddInFuzzyRegion(int session, long key, long amount)
    {
        EpochSlot* holder = Epochs.Acquire("the holder of the fuzzy region");
        Epochs.Enter(holder);
        ShiftReadOnly();
        Add(session, key, amount);
        Epochs.Leave(holder);
        Epochs.Release(holder);
        Rest();
    }

    /// <summary>Keeps a record from being updated, as a collapse does first.</summary>
    public void Seal(int session, long address)
    {
        EpochSlot* slot = _sessions[session].Slot;
        Epochs.Enter(slot);
        _ = HeldDeltas.TrySeal(Log.Pointer(address), address);
        Epochs.Leave(slot);
    }

    /// <summary>Lets it be updated again, as a collapse does that has to wait for something else.</summary>
    public void Lift(int session, long address) => HeldDeltas.Lift(_sessions[session].Slot, address);

    /// <summary>Puts bulky records of other keys, from 1000 on, until the head has left the first page.</summary>
    public void PushHead()
    {
        for (long key = 1000; Log.HeadAddress < 1 << 12; key++) Put(0, key, key);
        Rest();
    }

    /// <summary>Truncates the first page.</summary>
    public void RaiseBegin() => ScheduledWaits.Run(Giving!.RunAsync(1 << 12, _host.FlushedAsync));

    /// <summary>Doubles or halves the index, to the end.</summary>
    public void Resize(int session, ResizeKind kind)
    {
        HashIndex index = _store.Index;
        Assert.True(index.TryStart(kind, _store.Tier.Memory.Chains, static () => { }), $"It can't be resized: {kind}");
        index.DriveResize(_sessions[session].Slot, () =>
        {
            Epochs.Drain();
            Probe.Point(ProbePoint.Wait);
            return true;
        });
    }

    /// <summary>Whether the index has an entry for a key.</summary>
    public bool HasEntry(long key) => Find(HashOf(key), out _) != null;

    /// <summary>Writes the fragments of a value that no record leads to yet.</summary>
    public void Write(long key, LargeWrite write) => write.Write(_store.Tier, HashOf(key));

    /// <summary>Links a record to a value whose fragments have been written, or writes them again.</summary>
    public void PutPrepared(int session, long key, LargeWrite prepared)
    {
        var operation = default(ProbedOperations.Put<TShape>);
        Ended(session, _sessions[session].Runner
            .RetryUntilDone<
                UpsertAlgorithm<HashEntries, ProbedOperations.Put<TShape>>, ChainKey,
                ProbedOperations.Put<TShape>>(
                KeyOf(key), HashOf(key), ref operation, Outcome.Oversized, prepared));
    }

    /// <summary>How many records of a key the chain holds in memory, those taken out of use not counted.</summary>
    public int CountInChain(long key)
    {
        ulong* slot = Find(ChainKey.OneHash, out ulong word);
        int count = 0;
        for (long at = slot == null ? 0 : HashIndex.AddressOf(word); at >= Log.HeadAddress;)
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
        Assert.Null(_store.Core.Faults.Last);
        _host.Dispose();
    }

    // A session's first operation in an epoch never takes the way of a hit at rest: so each has looked at it before.
    private void Rest()
    {
        foreach (FasterSession session in _sessions)
        {
            _ = session.Runner.EnterQuiet(out EpochSlot* slot);
            Epochs.Leave(slot);
        }
    }

    private ulong HashOf(long key) => _isOneChain ? ChainKey.OneHash : KeyHash.Of((ulong)key, default);

    private ChainKey KeyOf(long key) => new(key, HashOf(key));

    private ulong* Find(ulong hash, out ulong word)
    {
        Assert.True(_store.Index.TryLocate(hash, out BucketRef bucket));
        return HashIndex.Find(bucket.Bucket, HashBits.TagOf(hash), out word);
    }

    // As compaction does.
    private Status Insert<TAlgorithm, TOperation>(int session, long key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TOperation : struct, IConditionalInsert
    {
        byte[] bytes = GC.AllocateUninitializedArray<byte>(sizeof(long), pinned: true);
        BitConverter.TryWriteBytes(bytes, key);
        var name = new RecordKey((byte*)Marshal.UnsafeAddrOfPinnedArrayElement(bytes, 0), bytes.Length, HashOf(key));
        Status status = CompactionInsert.Run<TAlgorithm, TOperation>(
            _sessions[session].Runner, name, HashOf(key), ref operation);
        Ended(session, status);
        GC.KeepAlive(bytes);
        return status;
    }

    private void Ended(int session, Status status)
    {
        if (status == Status.Pending) Complete(session);
    }

    private void Complete(int session) => Assert.True(_sessions[session].CompletePending(wait: true));
}
