using Faster.Analytics.Scans;
using Faster.Compaction.Copying;
using Faster.Compaction.Lookups;
using Faster.Compaction.Batches;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.HashChunks;
using Faster.Log;
using Faster.Log.Records;
using Faster.LogSessions;
using Faster.LogSessions.Pending;
using Faster.Operations;
using Faster.Probes;
using Faster.Stores;
using Faster.Tests.Analytics;
using Faster.Tests.Devices;
using Faster.Tests.Index.Entries;
using Faster.Tests.LogCommits;
using Faster.Tests.Operations.Merging;
using Faster.Tests.Scheduling;
using Faster.Tiers;
using static Faster.Tests.Operations.CounterOperations;
using Result = Faster.Tests.Operations.CounterOperations.Outcome;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// A tiered store as it ships, but small, under a controlled scheduler. What the I/O threads do is done by the thread
/// that wants it; a compaction moves or copies the records of the first page of its log.
/// </summary>
/// <remarks>Built and checked by the explorer's thread; else each client belongs to one scheduled thread.</remarks>
internal sealed unsafe class ScheduledTiers : IDisposable
{
    private const long PageEnd = 1L << ScheduledHost.PageBits;
    private const int RecordBytes = 24, ValueAt = 16;

    private readonly ScheduledDevice[] _devices;
    private readonly ScheduledDevice _indexDevice;
    private readonly bool[] _isInTurn = new bool[2];
    private readonly TieredStore _store;
    private readonly ScheduledWaits _waits;
    private readonly TieredSession[] _clients;
    private readonly CopyRun[] _runs; // of the hot log and the cold one
    private readonly CopyThread[] _moving, _copying;
    private readonly TruncationSteps[] _steps;

    /// <summary>A store with empty tiers.</summary>
    /// <param name="clients">How many threads there are.</param>
    /// <param name="isCached">Whether there is a read cache.</param>
    /// <param name="schema">The records; null for counters.</param>
    public ScheduledTiers(int clients, bool isCached = false, RecordSchema? schema = null)
    {
        _devices = [new(hasQueues: true, () => TakeTurns(0)), new(hasQueues: true, () => TakeTurns(1))];
        _indexDevice = new ScheduledDevice(hasQueues: false, () => TakeIndexTurns());
        var shape = new ScheduledHostShape { Schema = schema ?? Schema, IsAtOnce = true, IsCached = isCached };
        var hot = shape.Blueprint(_devices[0]);
        _store = new TieredStore(new TieredPlan
        {
            Options = new TieredOptions { ColdIndexDevice = _indexDevice }, Hot = hot, HotLogSize = long.MaxValue / 4,
            Batch = CopyBatchShape.For(0, ScheduledHost.PageBits),
            ColdIndex = ChunkWorld.PlanOf(chunks: 1, chunkBytes: 64),
            Cold = (shape with { IsCached = false }).Blueprint(_devices[1]) with
            {
                Metadata = hot.Metadata, LogNumber = TieredPlan.ColdLog,
            },
        });
        _waits = new ScheduledWaits(_store.Core.Epochs);
        _steps = [.. _store.Core.Tiers.Select(tier => new TruncationSteps(tier.PagedLog!, _waits))];
        foreach (Tier tier in _store.Core.Tiers)
        {
            IOThread.Of(tier).HeldUpPause = TimeSpan.Zero;
            tier.Index.Crowded = tier.Index.Extended = tier.Index.Thinned = null;
            if (tier.Cache is not { } cache) continue;
            cache.Balance = null;
            cache.SetMemory(ScheduledHost.Pages << ScheduledHost.PageBits);
        }

        ScheduledProbe.WaitAlone(() =>
        {
            foreach (Tier tier in _store.Core.Tiers) IOThread.Of(tier).TakeTurn();
            TakeIndexTurns();
        });
        _clients = [.. Enumerable.Range(0, clients).Select(client => _store.StartSession(NameOf(client)))];
        _runs = [.. _store.Core.Tiers.Select((tier, i) => new CopyRun(
            new CopyRoute(tier, Cold, _steps[i], TruncationOf(tier).Liveness, static () => false)
            {
                Pause = _store.Copies,
            },
            PagedLog.FirstAddress, new PageFrontier(0, 0, ScheduledHost.PageBits)))];
        _moving = [.. Enumerable.Range(0, clients).Select(_ => ThreadOf(_runs[0]))];
        _copying = [.. Enumerable.Range(0, clients).Select(_ => ThreadOf(_runs[1]))];
    }

    /// <summary>The store.</summary>
    public TieredStore Store => _store;

    /// <summary>A client's session.</summary>
    public TieredSession SessionOf(int client) => _clients[client];

    /// <summary>How steps wait.</summary>
    public IStepWaits Waits => _waits;

    private Tier Hot => _store.Hot;

    private Tier Cold => _store.Cold;

    /// <summary>A key whose records lie in the same chain as those of key 1.</summary>
    public static long Neighbor { get; } = FindNeighbor();

    /// <summary>The name of a client's session.</summary>
    public static string NameOf(int client) => $"client {client}";

    /// <summary>The steps that truncate the log of a tier.</summary>
    public TruncationSteps StepsOf(Tier tier) => _steps[tier == Hot ? 0 : 1];

    /// <summary>The bytes of a record, in memory or on disk.</summary>
    public byte[] Record(Tier tier, long address) => address < tier.Log.HeadAddress
        ? FromDisk(tier, address)
        : new ReadOnlySpan<byte>(tier.Log.Pointer(address), RecordBytes).ToArray();

    /// <summary>Adds, in a store whose updates merge.</summary>
    public void Merge(int client, long key, long amount) => _ = _clients[client].Merge(key, amount);

    /// <summary>Reads, in a store whose updates merge.</summary>
    public long? Total(int client, long key) => _clients[client].Total(key);

    /// <summary>The next update of a key, in a store whose updates merge, makes a whole record.</summary>
    public void Mark(long key) => Hot.Merges.Mark(Key(key).Hash(Hot.Seed));

    public void Put(int client, long key, long value)
    {
        var upsert = new Upsert(value);
        Finish(client, _clients[client].Upsert(Key(key), ref upsert));
    }

    public void Add(int client, long key, long amount)
    {
        var result = new Result();
        var add = new Add(amount, result);
        Finish(client, _clients[client].Rmw(Key(key), ref add));
        Assert.Null(result.Error);
    }

    public void Remove(int client, long key)
    {
        var delete = default(Delete);
        Finish(client, _clients[client].Delete(Key(key), ref delete));
    }

    public long? Get(int client, long key)
    {
        var result = new Result();
        var read = new Read(result);
        Status status = _clients[client].Read(Key(key), ref read);
        if (status != Status.Pending) return status == Status.Ok ? read.Value : null;
        Finish(client, status);
        Assert.Null(result.Error);
        return result.Status == Status.Ok ? result.Value : null;
    }

    /// <summary>
    /// Begins a read that walks the hot chain on disk, and begins its walk on the disk below. Before the threads start.
    /// </summary>
    /// <returns>Ends it.</returns>
    public Func<long?> BeginGet(int client, long key)
    {
        var result = new Result();
        var read = new Read(result);
        Assert.Equal(Status.Pending, _clients[client].Read(Key(key), ref read));
        _devices[1].HoldsReads = true;
        while (_devices[0].HasRequests) _devices[0].TransferOne();
        Assert.False(_clients[client].CompletePending(wait: false));
        return () =>
        {
            _devices[1].Release();
            _ = _clients[client].CompletePending(wait: true);
            return result.Status == Status.Ok ? result.Value : null;
        };
    }

    /// <summary>Puts a record into the cold tier, as if it had moved there. Before the threads start.</summary>
    public void PutCold(long key, long value)
    {
        byte* bytes = stackalloc byte[RecordBytes];
        *(ulong*)bytes = 0;
        *(long*)(bytes + RecordHeader.Size) = key;
        *(long*)(bytes + ValueAt) = value;
        Assert.Equal(Status.Ok, Copy(_copying[0], new PageRecord(Hot, bytes, 0), IConditionalInsert.Nothing));
    }

    /// <summary>The records so far can't be updated in place any more; new ones follow in the same page.</summary>
    public void SealOff() => _ = Hot.PagedLog!.ShiftReadOnlyToTail();

    /// <summary>Hot-cold compaction of the first page: its records are moved, then it is truncated.</summary>
    public void MoveFirstPageOfHot(int client)
    {
        FillPage(client, Hot);
        ScheduledWaits.Run(StepsOf(Hot).ShiftReadOnlyAsync(PageEnd));
        Move(client, newestFirst: false);
        TruncateHot();
    }

    /// <summary>Hot-cold compaction of pages: their records are moved, then they are truncated.</summary>
    /// <param name="client">Whose thread it is.</param>
    /// <param name="first">The number of the first page.</param>
    /// <param name="end">The number of the page after the last one.</param>
    public void MovePagesOfHot(int client, int first, int end)
    {
        FillPage(client, Hot, end * PageEnd);
        ScheduledWaits.Run(StepsOf(Hot).ShiftReadOnlyAsync(end * PageEnd));
        for (int page = first; page < end; page++) Move(client, newestFirst: false, page);
        TruncateHot(end);
    }

    /// <summary>Truncates the first pages of the hot log, after their records have moved.</summary>
    public void TruncateHot(int pages = 1) =>
        ScheduledWaits.Run(StepsOf(Hot).RunAsync(pages * PageEnd, until => FlushedAsync(Hot, until)));

    /// <summary>Moves the records of a page of the hot log, which is immutable.</summary>
    /// <param name="client">Whose thread it is.</param>
    /// <param name="newestFirst">In which order; the shipped threads take pages as they come.</param>
    /// <param name="page">The page's number.</param>
    public void Move(int client, bool newestFirst, int page = 0)
    {
        _store.Moved.Begin((page + 1) * PageEnd);
        CopyThread thread = _moving[client];
        var stages = new HotColdStages();
        using var batch = new CopyBatch(
            new CopyBatchShape(0, 0, CopyBatch.LeastFor(PageEnd)), _store.ColdIndex.BeginSweep());
        ICopyStage gather = stages.Gather(thread, batch), insert = stages.Insert(thread, batch);
        Dictionary<long, byte[]> records = RecordsOf(Hot, page).ToDictionary(r => r.Address, r => r.Bytes);
        foreach ((long address, byte[] bytes) in records)
        {
            fixed (byte* record = bytes)
            {
                if (thread.Route.Liveness.MayLive(address, RecordHeader.Read(record)))
                    gather.Take(thread.RecordAt(record, address), mayPutOff: true);
            }
        }

        gather.Settle();
        batch.BeginPart(0, batch.Count);
        for (int i = 0; i < batch.Count; i++)
        {
            fixed (byte* bytes = records[batch.AddressOf(i)]) batch.Put(i, bytes, RecordBytes);
        }

        _ = batch.EndPart(0, batch.Count);
        for (int i = 0; i < batch.Count; i++)
        {
            byte* record = batch.RecordAt(newestFirst ? batch.Count - 1 - i : i, out long address);
            insert.Take(thread.RecordAt(record, address), mayPutOff: true);
        }

        insert.Settle();
    }

    /// <summary>Cold-cold compaction of the first page of the cold log.</summary>
    public void CompactFirstPage(int client)
    {
        CopyThread thread = _copying[client];
        ICopyStage insert = new ColdColdStages(Hot, _store.Moved).ForStraddling(thread);
        var above = new RecordsAbove(thread.Session, Hot, _store.Moved, insert, new DeferredLookups(thread, default));
        FillPage(client, Cold);
        ScheduledWaits.Run(StepsOf(Cold).ShiftReadOnlyAsync(PageEnd));
        foreach ((long address, byte[] bytes) in RecordsOf(Cold))
        {
            fixed (byte* record = bytes)
            {
                above.Take(thread.RecordAt(record, address), mayPutOff: true);
                insert.Settle();
            }
        }

        ScheduledWaits.Run(StepsOf(Cold).RunAsync(PageEnd, until => FlushedAsync(Cold, until)));
    }

    /// <summary>Captures what a scan covers.</summary>
    public ScanPart[] CaptureScan()
    {
        Task<ScanPart[]> capture = ScannedLogs.CaptureAsync(
            [_store.Analytics.Hot, _store.Analytics.Cold],
            (source, end) => _waits.UntilAsync(source.Log.Gate, () => source.Log.SafeImmutableAddress >= end));
        ScheduledWaits.Run(capture);
        return capture.Result;
    }

    /// <summary>The records that a scan returns, in its order. Afterwards its ranges are released.</summary>
    public static List<(long Key, long? Value)> Scan(ScanPart[] parts)
    {
        using ScanRange hot = parts[0].Range, cold = parts[1].Range;
        using var scan = new LiveScan(parts, ScanOptions.MinTableMemory);
        return [.. scan.RunAsync(AnalyticsStores.Pair, CancellationToken.None).ToBlockingEnumerable()];
    }

    /// <summary>Gives back the space of what has been truncated of a log and no reader holds.</summary>
    public void Release(TierLog log, Tier tier)
    {
        long begin = tier.Log.BeginAddress;
        Probe.Point(ProbePoint.RegionMarker);
        log.Space.Release(begin);
    }

    /// <summary>The first page of a log becomes immutable. Before the threads start.</summary>
    public void ShiftReadOnly()
    {
        FillPage(0, Hot);
        ScheduledWaits.Run(StepsOf(Hot).ShiftReadOnlyAsync(PageEnd));
    }

    /// <summary>Sends the first pages of the cold log to disk. Before the threads start.</summary>
    public void SendColdToDisk(int pages = 1)
    {
        FillPage(0, Cold, pages * PageEnd);
        SendToDisk(Cold, pages * PageEnd);
    }

    /// <summary>Begins the second page of a log. Before the threads start.</summary>
    public void BeginSecondPage(bool isHot) => FillPage(0, isHot ? Hot : Cold);

    /// <summary>The first pages of the hot log leave memory.</summary>
    public void LeaveMemory(int client, int pages)
    {
        FillPage(client, Hot, pages * PageEnd);
        ScheduledWaits.Run(StepsOf(Hot).ShiftReadOnlyAsync(pages * PageEnd));
        ScheduledWaits.Run(FlushedAsync(Hot, pages * PageEnd));
        Hot.PagedLog!.Evict(pages * PageEnd);
    }

    /// <summary>Sends the first pages of the hot log to disk.</summary>
    public void SendHotToDisk(int pages = 2, int client = 0)
    {
        FillPage(client, Hot, pages * PageEnd);
        SendToDisk(Hot, pages * PageEnd);
    }

    public void Dispose()
    {
        foreach (CopyThread thread in _copying.Concat(_moving)) thread.Dispose();
        foreach (CopyRun run in _runs) run.Dispose();
        _store.Dispose();
        ScheduledProbe.WaitAlone(null);
        Assert.Null(_store.Core.Faults.Last);
    }

    private static CopyThread ThreadOf(CopyRun run) => new(run, static () => false, new CopyCounters());

    private LogTruncation TruncationOf(Tier tier) => tier == Hot ? _store.HotTruncation : _store.ColdTruncation;

    private Status Copy(CopyThread thread, in PageRecord record, long above)
    {
        var copy = new CopyToTail(record, above, isTombstone: false, new CopyCounters());
        return CompactionInsert.Run<
            ConditionalInsertAlgorithm<ChunkEntries, CopyToTail>, CopyToTail>(
            thread.Session.RunnerOf(Cold), record.Key, record.Hash, ref copy);
    }

    private void Finish(int client, Status status)
    {
        if (status == Status.Pending) _ = _clients[client].CompletePending(wait: true);
    }

    // The records of a page of a log. Between them lies space of zeros, up to a block or to the end of the page; no
    // record has key 0.
    private List<(long Address, byte[] Bytes)> RecordsOf(Tier tier, int page = 0)
    {
        List<(long, byte[])> records = [];
        long step, end = (page + 1) * PageEnd;
        bool isInMemory = tier.Log.HeadAddress < end;
        for (long at = Math.Max(PagedLog.FirstAddress, page * PageEnd); at + RecordBytes <= end;
            at += step)
        {
            byte[] bytes = GC.AllocateUninitializedArray<byte>(RecordBytes, pinned: true);
            if (isInMemory) new ReadOnlySpan<byte>(tier.Log.Pointer(at), RecordBytes).CopyTo(bytes);
            else FromDisk(tier, at).CopyTo(bytes, 0);
            ulong header = BitConverter.ToUInt64(bytes);
            bool isRecord = header != 0 && BitConverter.ToInt64(bytes, RecordHeader.Size) != 0;
            step = isRecord ? RecordBytes : sizeof(long);
            if (!isRecord || (header & RecordHeader.Invalid) != 0) continue;
            BitConverter.TryWriteBytes(bytes, header & ~RecordHeader.Sealed); // superseded after the page was written
            records.Add((at, bytes));
        }

        return records;
    }

    private byte[] FromDisk(Tier tier, long address)
    {
        ScheduledDevice device = _devices[tier == Hot ? 0 : 1];
        var extent = tier.Storage!.Geometry.Map(address, RecordBytes, device.SectorSize);
        byte[] blocks = device.Written(extent.Offset, extent.Length).ToArray();
        fixed (byte* at = blocks)
            return new ReadOnlySpan<byte>(tier.Storage.Decode(extent, at), RecordBytes).ToArray();
    }

    /// <summary>Sends the pages of a log up to an address to disk. Before the threads start.</summary>
    public void SendToDisk(Tier tier, long until)
    {
        _ = tier.PagedLog!.ShiftReadOnlyToTail();
        ScheduledWaits.Run(FlushedAsync(tier, until));
        tier.PagedLog!.Evict(until);
        Assert.Equal(until, tier.Log.HeadAddress);
    }

    private void FillPage(int client, Tier tier, long until = PageEnd)
    {
        var log = tier.PagedLog!;
        if (log.TailAddress >= until) return;
        _store.Core.Epochs.Enter(_copying[client].Session.Slot);
        for (long space; (space = until - log.TailAddress) > 0;) // no record takes a whole page
            Assert.True(log.TryAllocate(null, (int)Math.Min(space, PageEnd / 2), out _));
        _store.Core.Epochs.Leave(_copying[client].Session.Slot);
    }

    /// <summary>Waits until a log is on disk up to an address.</summary>
    public Task FlushedAsync(Tier tier, long until) =>
        _waits.UntilAsync(tier.PagedLog!.Gate, () => tier.PagedLog!.FlushedUntilAddress >= until);

    private void TakeTurns(int number)
    {
        if (_isInTurn[number] || _store?.Core.Tiers[number].IO is not IOThread ioThread) return;
        _isInTurn[number] = true;
        do ioThread.TakeTurn();
        while (!_devices[number].TakeIdle());
        _isInTurn[number] = false;
    }

    private void TakeIndexTurns()
    {
        while (_store?.ColdIndex.Log.TakeTurn() == true)
        {
        }
    }

    private static long FindNeighbor()
    {
        uint tag = HashBits.TagOf(Key(1).Hash(default));
        for (long key = 2; ; key++)
            if (HashBits.TagOf(Key(key).Hash(default)) == tag) return key;
    }
}
