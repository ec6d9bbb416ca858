using System.Runtime.ExceptionServices;
using Faster.Checkpoints.Index;
using Faster.Checkpoints.Snapshots;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Index;
using Faster.Invariants;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Records;

namespace Faster.Checkpoints.Recovery;

/// <summary>
/// Restores log and index to a commit (paper 004 §5.5): reads the tail of the log into memory, copies the snapshots
/// over it, replays the records since the checkpoint of the index, and leaves out those of later versions than the
/// commit.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The head is a page's start, and what lies between head and tail fits the window.</item>
/// <item>Nothing on the device that a commit covers is changed.</item>
/// <item>No record of a later version than the commit is reachable afterwards.</item>
/// <item>One page in memory is settled by one thread.</item>
/// </list>
/// <para>What only the snapshots hold and memory has no space for is first written to the log
/// (<see cref="SnapshotSpill"/>).</para>
/// <para>The log is left as if no record after the commit had ever been linked. In memory such a record is marked
/// invalid, and neither a record nor an entry in memory leads to it. On the device nothing is edited: there the record
/// is known by address and version (<see cref="LogStorage.IsDiscarded"/>), and a walk skips it and takes the next older
/// one. A record is of a later version if it lies at or above the commit's start (Lh_s) and carries the next version's
/// code.</para>
/// <para>Pages below the head are read, replayed, and dropped. Both phases, reading and settling, run on several
/// threads: the order of records does not matter to the index, and one page in memory is settled by one thread.</para>
/// <para>Runs before the log is in use and before the store's I/O thread polls the device. Not thread-safe; runs
/// once.</para>
/// </remarks>
internal sealed unsafe class LogRecovery<TProbe>
    where TProbe : struct, IProbe
{
    private readonly EpochTable<TProbe> _epochs;
    private readonly HashIndex<TProbe> _index;
    private readonly PagedLog<TProbe> _log;
    private readonly LogStorage _storage;
    private readonly HashSeed _seed;
    private readonly CommittedLog _commit;
    private readonly IndexReplay _replay;
    private readonly byte _laterCode;
    private readonly long _replayFrom;
    private readonly long _head;
    private readonly long _flushedUntil; // the commit's, or the head: up to there its snapshots are written to the log
    private readonly long _readFrom;
    private long _bytesRead;
    private long _discardedRecords;
    private int _discardedOnDevice;

    /// <summary>Plans the recovery of a commit.</summary>
    /// <param name="epochs">The epochs of index and log.</param>
    /// <param name="index">
    /// The index: empty, or as in the commit's checkpoint once records are replayed. It has no limit that would make
    /// chains share tags, and is not resized.
    /// </param>
    /// <param name="log">The log, empty.</param>
    /// <param name="storage">The log's storage, restored to what the commit records.</param>
    /// <param name="seed">The seed of the hash function.</param>
    /// <param name="version">The version of the commit.</param>
    /// <param name="commit">What the commit records of the log.</param>
    /// <param name="checkpoint">The checkpoint of the index that the commit names, or null.</param>
    /// <param name="replay">What the log's records mean to the index.</param>
    public LogRecovery(
        EpochTable<TProbe> epochs, HashIndex<TProbe> index, PagedLog<TProbe> log, LogStorage storage, HashSeed seed,
        long version, CommittedLog commit, IndexReference? checkpoint, IndexReplay replay)
    {
        _epochs = epochs;
        _index = index;
        _log = log;
        _storage = storage;
        _seed = seed;
        (_commit, _replay) = (commit, replay);
        _laterCode = RecordHeader.CodeOf(version + 1);
        _replayFrom = replay == IndexReplay.None
            ? commit.EndAddress
            : Math.Max(
                checkpoint is null ? 0 : Math.Min(checkpoint.StartAddress, commit.StartAddress), commit.BeginAddress);
        _head = ChooseHead();
        _flushedUntil = Math.Max(commit.FlushedUntilAddress, _head);
        _readFrom = Math.Max(Math.Min(_replayFrom, _head), commit.BeginAddress);
        Invariant.Check(
            commit.BeginAddress <= _head && _head <= Math.Max(commit.EndAddress, PagedLog<TProbe>.FirstAddress)
                && _readFrom <= _head,
            $"Begin ≤ Head ≤ Tail: {commit.BeginAddress}, {_head}, {commit.EndAddress}, read from {_readFrom}");
    }

    /// <summary>The number of bytes that will be read, as <see cref="Run"/> reports them.</summary>
    public long BytesToRead =>
        Math.Max(_flushedUntil - _readFrom, 0) + _commit.Snapshots.Sum(snapshot => snapshot.Bytes);

    /// <summary>Recovers. Afterwards the storage knows the range of the newly discarded records.</summary>
    /// <param name="files">The files with the snapshots.</param>
    /// <param name="store">The store's identity.</param>
    /// <param name="bufferBytes">The bytes for buffers, in addition to the log's own memory.</param>
    /// <param name="awaitIndex">
    /// Waits until the checkpoint is in the index, and throws if that fails; called before a record is replayed.
    /// </param>
    /// <param name="onProgress">Called with the step and the number of bytes read so far.</param>
    /// <param name="ct">Cancels the recovery; the log must not be used then.</param>
    /// <exception cref="DamagedDataException">Something on disk can't be trusted.</exception>
    /// <exception cref="StorageException">The disk can't be read.</exception>
    public LogRecoveryResult Run(
        StoreFiles files, ulong store, long bufferBytes, Action awaitIndex, Action<RecoveryStep, long>? onProgress,
        CancellationToken ct)
    {
        if (_flushedUntil > _commit.FlushedUntilAddress)
            new SnapshotSpill(_storage, files, store).Run(_commit, _flushedUntil, ct);
        _log.Restore(_commit.BeginAddress, _flushedUntil, _commit.EndAddress, _head);
        void OnRead(long bytes) => onProgress?.Invoke(RecoveryStep.ReadingLog, _bytesRead += bytes);
        var replayers = new IndexReplayer<TProbe>[Math.Clamp(Environment.ProcessorCount, 1, 16)];
        if (_readFrom < _head) awaitIndex(); // pages below the head are replayed as they are read
        for (int i = 0; i < replayers.Length; i++) replayers[i] = new IndexReplayer<TProbe>(_epochs, _index);
        try
        {
            using (var stream = new PageStream(_storage, bufferBytes))
            {
                stream.Run(
                    _readFrom, _flushedUntil, replayers.Length,
                    (worker, page) => OnPage(replayers[worker], page), OnRead, ct);
            }

            new SnapshotReader<TProbe>(files, store, _log, OnRead)
                .Load(_commit.Snapshots, _flushedUntil, _commit.EndAddress, ct);
            awaitIndex();
            onProgress?.Invoke(RecoveryStep.ReplayingLog, _bytesRead);
            SettleAll(replayers, ct);
        }
        finally
        {
            foreach (IndexReplayer<TProbe> replayer in replayers) replayer.Dispose();
        }

        return Conclude();
    }

    private long ChooseHead()
    {
        // One page of the window is left free where possible, so that the tail can advance. What only the snapshots
        // hold stays in memory if it fits; otherwise the lower part of it is written to the log.
        long tailPage = _commit.EndAddress >> _log.PageBits, flushed = _commit.FlushedUntilAddress >> _log.PageBits;
        long lowest = tailPage + 2 - _log.ResidentPages;
        long page = flushed < lowest - 1 ? lowest : Math.Min(flushed, lowest);
        page = Math.Max(page, _commit.BeginAddress >> _log.PageBits);
        return Math.Max(page << _log.PageBits, PagedLog<TProbe>.FirstAddress);
    }

    private void OnPage(IndexReplayer<TProbe> replayer, PageLoad page)
    {
        byte* bytes = page.Decode();
        if (page.From >= _head)
        {
            Buffer.MemoryCopy(bytes, _log.Pointer(page.From), page.To - page.From, page.To - page.From);
            return;
        }

        // Pages below the head are whole, but the first may begin at the replay's start, where the tail once was.
        var walker = new RecordWalker(_storage, _log.Layout, bytes, RecordBoundary.OfTail(page.From), page.To);
        replayer.Enter();
        try
        {
            while (walker.MoveNext())
            {
                if (IsLeftOut(walker.Address, walker.Header)) CountIfLater(walker.Address, walker.Header);
                else Raise(replayer, walker);
            }
        }
        finally
        {
            replayer.Leave();
        }
    }

    private void SettleAll(IndexReplayer<TProbe>[] replayers, CancellationToken ct)
    {
        long next = (_head >> _log.PageBits) - 1;
        long last = (_commit.EndAddress - 1) >> _log.PageBits;
        void SettleSome(IndexReplayer<TProbe> replayer)
        {
            for (long page; !ct.IsCancellationRequested && (page = Interlocked.Increment(ref next)) <= last;)
                Settle(replayer, page);
        }

        try
        {
            Parallel.ForEach(replayers, SettleSome);
        }
        catch (AggregateException e)
        {
            ExceptionDispatchInfo.Throw(e.InnerExceptions[0]);
        }

        ct.ThrowIfCancellationRequested();
    }

    // Makes a page in memory agree with the commit, even where the index needs no replay.
    private void Settle(IndexReplayer<TProbe> replayer, long page)
    {
        long from = Math.Max(page << _log.PageBits, _commit.BeginAddress);
        long to = Math.Min((page + 1) << _log.PageBits, _commit.EndAddress);
        var walker = new RecordWalker(_storage, _log.Layout, _log.Pointer(from), _log.WalkStartOf(from), to);
        replayer.Enter();
        try
        {
            while (walker.MoveNext())
            {
                ulong header = Settled(replayer, walker);
                if (header != walker.Header) RecordHeader.Write(walker.Record, header);
            }
        }
        finally
        {
            replayer.Leave();
        }
    }

    // Returns the header that a record must have, after updating its entry.
    private ulong Settled(IndexReplayer<TProbe> replayer, in RecordWalker walker)
    {
        if (ValueFragment.Is(walker.Header)) return walker.Header;
        ulong header = walker.Header & ~(RecordHeader.Latch | RecordHeader.Sealed);
        long address = walker.Address;
        ulong hash = _log.Layout.Hash(walker.Record, _seed);
        long previous = NewestThatCounts(RecordHeader.Previous(header), address, hash);
        if (IsLeftOut(address, header))
        {
            CountIfLater(address, header);
            replayer.RedirectUnderEpoch(hash, address, previous < _commit.BeginAddress ? 0 : previous);
            return RecordHeader.Invalidated(header);
        }

        if (ChainJoinRecord.Is(header))
            ChainJoinRecord.SetRight(walker.Record, NewestThatCounts(ChainJoinRecord.Right(walker.Record), address,
                hash));
        if (address >= _replayFrom) Raise(replayer, walker);
        return RecordHeader.WithPrevious(header, previous);
    }

    // A chain-join record counts only in an index smaller than the one whose chains it joins: only commits of earlier
    // versions record fewer buckets than the larger index had (BucketHistory). A tombstone that ends its chain carries
    // no information, unless there is a tier below whose records it hides. Its entry may have been removed; then no
    // entry led to it when its bucket was joined with another one, whose chain may be older. Above another tier no
    // entry is removed that leads to a record (DeleteAlgorithm).
    private void Raise(IndexReplayer<TProbe> replayer, in RecordWalker walker)
    {
        ulong header = walker.Header;
        if (ChainJoinRecord.Is(header) && ChainJoinRecord.BucketCount(walker.Record) <= _index.BucketCount) return;
        bool endsChain = RecordHeader.Previous(header) < _commit.BeginAddress;
        if ((header & RecordHeader.Tombstone) != 0 && endsChain && _replay != IndexReplay.OfUpperTier) return;
        replayer.ReplayUnderEpoch(_log.Layout.Hash(walker.Record, _seed), walker.Address);
    }

    // Other threads may be marking the records that are passed here, which does not change what is read of them. A
    // record that an earlier recovery marked may be found in a chain, or by an entry: an increment brings the mark but
    // not the records that were relinked then, and a checkpoint of the index may be older than that recovery.
    private long NewestThatCounts(long address, long below, ulong hash)
    {
        while (address >= _head)
        {
            if (address >= below) throw _storage.NoRecord(below, 0);
            byte* record = _log.Pointer(address);
            ulong header = RecordHeader.Read(record);
            if (!IsLeftOut(address, header)) break;
            below = address;
            address = ChainJoinRecord.Next(record, header, hash);
        }

        return address;
    }

    private bool IsLater(long address, ulong header) =>
        !ChainJoinRecord.Is(header) && address >= _commit.StartAddress
            && RecordHeader.VersionCode(header) == _laterCode;

    private bool IsLeftOut(long address, ulong header) =>
        IsLater(address, header) || _storage.IsDiscarded(address, header);

    private void CountIfLater(long address, ulong header)
    {
        if (!IsLater(address, header) || (header & RecordHeader.Invalid) != 0) return;
        Interlocked.Increment(ref _discardedRecords);
        if (address < _flushedUntil) Volatile.Write(ref _discardedOnDevice, 1);
    }

    private LogRecoveryResult Conclude()
    {
        long replayed = _commit.EndAddress - Math.Min(_replayFrom, _commit.EndAddress);
        if (_discardedOnDevice == 0) return new LogRecoveryResult(replayed, _discardedRecords, null);
        var discarded = new DiscardedRange(
            _commit.StartAddress, Math.Min(_flushedUntil, _commit.EndAddress), _laterCode);
        _storage.Restore(_storage.Incarnations, [.. _storage.Discarded, discarded]);
        return new LogRecoveryResult(replayed, _discardedRecords, discarded);
    }
}
