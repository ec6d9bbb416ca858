using System.Runtime.ExceptionServices;
using Faster.Contracts;
using Faster.Devices;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;

namespace Faster.Checkpoints;

/// <summary>
/// Brings log and index to a commit (paper 004 §5.5): reads the tail of the log into memory, lays the snapshots over
/// it, replays the records since the checkpoint of the index, and leaves those out that are later than the commit.
/// </summary>
/// <remarks>
/// <para>What the snapshots hold beyond what memory can is written to the log first
/// (<see cref="SnapshotSpill"/>).</para>
/// <para>The log is left as if every record after the commit had never been linked. In memory such a record is marked
/// invalid, and neither a record nor an entry in memory leads to it. On the device nothing is edited: there it is known
/// by address and version (<see cref="LogStorage.IsAbandoned"/>), and whoever walks over it takes the next older one.
/// Records are of a later version if they lie at or above the commit's start (Lh_s) and carry the next version's code.
/// </para>
/// <para>Pages below the head are read, replayed and forgotten. Both phases, reading and settling, run on several
/// threads: the order of records does not matter to the index, and a page in memory is settled by one thread.</para>
/// <para>Runs before the log is in use and before the store's I/O thread polls the device. Not thread-safe; one
/// run.</para>
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
    private readonly byte _laterCode;
    private readonly long _replayFrom;
    private readonly long _head;
    private readonly long _flushedUntil; // the commit's, or the head, up to where its snapshots are written to the log
    private readonly long _readFrom;
    private long _bytesRead;
    private long _abandonedRecords;
    private int _abandonedOnDevice;

    /// <summary>Plans the recovery of a commit.</summary>
    /// <param name="epochs">The epochs of index and log.</param>
    /// <param name="index">
    /// The index: empty, or as the commit's checkpoint has it. It has no limit that freezes chains, and is not resized.
    /// </param>
    /// <param name="log">The log, empty.</param>
    /// <param name="storage">Where it lies, restored to what the commit says.</param>
    /// <param name="seed">The key of the hash.</param>
    /// <param name="version">The version of the commit.</param>
    /// <param name="commit">What the commit has of the log.</param>
    /// <param name="checkpoint">The checkpoint of the index that it names, or null.</param>
    public LogRecovery(
        EpochTable<TProbe> epochs, HashIndex<TProbe> index, PagedLog<TProbe> log, LogStorage storage, HashSeed seed,
        long version, CommittedLog commit, IndexReference? checkpoint)
    {
        _epochs = epochs;
        _index = index;
        _log = log;
        _storage = storage;
        _seed = seed;
        _commit = commit;
        _laterCode = RecordHeader.CodeOf(version + 1);
        _replayFrom = Math.Max(
            checkpoint is null ? 0 : Math.Min(checkpoint.StartAddress, commit.StartAddress), commit.BeginAddress);
        _head = ChooseHead();
        _flushedUntil = Math.Max(commit.FlushedUntilAddress, _head);
        _readFrom = Math.Max(Math.Min(_replayFrom, _head), commit.BeginAddress);
    }

    /// <summary>How many bytes will be read, as <see cref="Run"/> reports them.</summary>
    public long BytesToRead =>
        Math.Max(_flushedUntil - _readFrom, 0) + _commit.Snapshots.Sum(snapshot => snapshot.Bytes);

    /// <summary>Recovers. The storage knows of the newly abandoned records afterwards.</summary>
    /// <param name="files">Where the snapshots are.</param>
    /// <param name="store">The store's identity.</param>
    /// <param name="bufferBytes">The bytes for buffers, beside those of the log.</param>
    /// <param name="onProgress">Hears of the step, and of the bytes read so far.</param>
    /// <param name="ct">Ends the recovery; the log is not to be used then.</param>
    /// <exception cref="DamagedDataException">Something on disk can't be trusted.</exception>
    /// <exception cref="StorageException">The disk can't be read.</exception>
    public LogRecoveryResult Run(
        StoreFiles files, ulong store, long bufferBytes, Action<RecoveryStep, long>? onProgress, CancellationToken ct)
    {
        if (_flushedUntil > _commit.FlushedUntilAddress)
            new SnapshotSpill(_storage, files, store).Run(_commit, _flushedUntil, ct);
        _log.Restore(_commit.BeginAddress, _flushedUntil, _commit.EndAddress, _head);
        void OnRead(long bytes) => onProgress?.Invoke(RecoveryStep.ReadingLog, _bytesRead += bytes);
        var raisers = new EntryRaiser<TProbe>[Math.Clamp(Environment.ProcessorCount, 1, 16)];
        for (int i = 0; i < raisers.Length; i++) raisers[i] = new EntryRaiser<TProbe>(_epochs, _index);
        try
        {
            using (var stream = new PageStream(_storage, bufferBytes))
            {
                stream.Run(
                    _readFrom, _flushedUntil, raisers.Length,
                    (worker, page) => OnPage(raisers[worker], page), OnRead, ct);
            }

            new SnapshotReader<TProbe>(files, store, _log, OnRead)
                .Load(_commit.Snapshots, _flushedUntil, _commit.EndAddress, ct);
            onProgress?.Invoke(RecoveryStep.ReplayingLog, _bytesRead);
            SettleAll(raisers, ct);
        }
        finally
        {
            foreach (EntryRaiser<TProbe> raiser in raisers) raiser.Dispose();
        }

        return Conclude();
    }

    private long ChooseHead()
    {
        // One page of the window is left free where that is possible, for the tail to go on. What only the snapshots
        // have stays in memory if it fits; else a part of it is written to the log.
        long tailPage = _commit.EndAddress >> _log.PageBits, flushed = _commit.FlushedUntilAddress >> _log.PageBits;
        long lowest = tailPage + 2 - _log.ResidentPages;
        long page = flushed < lowest - 1 ? lowest : Math.Min(flushed, lowest);
        page = Math.Max(page, _commit.BeginAddress >> _log.PageBits);
        return Math.Max(page << _log.PageBits, PagedLog<TProbe>.FirstAddress);
    }

    private void OnPage(EntryRaiser<TProbe> raiser, PageLoad page)
    {
        byte* bytes = page.Decode();
        if (page.From >= _head)
        {
            Buffer.MemoryCopy(bytes, _log.Pointer(page.From), page.To - page.From, page.To - page.From);
            return;
        }

        // Below the head are whole pages, and the replay begins where the tail stood once.
        var walker = new RecordWalker(_storage, _log.Layout, bytes, RecordBoundary.OfTail(page.From), page.To);
        raiser.Enter();
        try
        {
            while (walker.MoveNext())
            {
                if (IsLeftOut(walker.Address, walker.Header)) CountIfLater(walker.Address, walker.Header);
                else Raise(raiser, walker);
            }
        }
        finally
        {
            raiser.Leave();
        }
    }

    private void SettleAll(EntryRaiser<TProbe>[] raisers, CancellationToken ct)
    {
        long next = (_head >> _log.PageBits) - 1;
        long last = (_commit.EndAddress - 1) >> _log.PageBits;
        void SettleSome(EntryRaiser<TProbe> raiser)
        {
            for (long page; !ct.IsCancellationRequested && (page = Interlocked.Increment(ref next)) <= last;)
                Settle(raiser, page);
        }

        try
        {
            Parallel.ForEach(raisers, SettleSome);
        }
        catch (AggregateException e)
        {
            ExceptionDispatchInfo.Throw(e.InnerExceptions[0]);
        }

        ct.ThrowIfCancellationRequested();
    }

    // Makes a page in memory one of the commit: also where the index needs no replay.
    private void Settle(EntryRaiser<TProbe> raiser, long page)
    {
        long from = Math.Max(page << _log.PageBits, _commit.BeginAddress);
        long to = Math.Min((page + 1) << _log.PageBits, _commit.EndAddress);
        var walker = new RecordWalker(_storage, _log.Layout, _log.Pointer(from), _log.WalkStartOf(from), to);
        raiser.Enter();
        try
        {
            while (walker.MoveNext())
            {
                ulong header = Settled(raiser, walker);
                if (header != walker.Header) RecordHeader.Write(walker.Record, header);
            }
        }
        finally
        {
            raiser.Leave();
        }
    }

    // The header that a record is to have, its entry being seen to.
    private ulong Settled(EntryRaiser<TProbe> raiser, in RecordWalker walker)
    {
        if (LargeChunk.Is(walker.Header)) return walker.Header;
        ulong header = walker.Header & ~(RecordHeader.Latch | RecordHeader.Sealed);
        long address = walker.Address;
        ulong hash = _log.Layout.Hash(walker.Record, _seed);
        long previous = NewestThatCounts(RecordHeader.Previous(header), address, hash);
        if (IsLeftOut(address, header))
        {
            CountIfLater(address, header);
            raiser.RedirectUnderEpoch(hash, address, previous < _commit.BeginAddress ? 0 : previous);
            return RecordHeader.Invalidated(header);
        }

        if (MergeRecord.Is(header))
            MergeRecord.SetRight(walker.Record, NewestThatCounts(MergeRecord.Right(walker.Record), address, hash));
        if (address >= _replayFrom) Raise(raiser, walker);
        return RecordHeader.WithPrevious(header, previous);
    }

    // A merge record counts where the two chains hang together: only commits of earlier versions record fewer buckets
    // than the larger index had (BucketHistory). A tombstone that ends its chain says nothing; its entry may have been
    // removed, and then nothing led to it when its bucket was merged with another one, whose chain may be older.
    private void Raise(EntryRaiser<TProbe> raiser, in RecordWalker walker)
    {
        ulong header = walker.Header;
        if (MergeRecord.Is(header) && MergeRecord.BucketCount(walker.Record) <= _index.BucketCount) return;
        bool endsChain = RecordHeader.Previous(header) < _commit.BeginAddress;
        if ((header & RecordHeader.Tombstone) != 0 && endsChain) return;
        raiser.RaiseUnderEpoch(_log.Layout.Hash(walker.Record, _seed), walker.Address);
    }

    // Others may be marking the records that are passed here, which changes nothing of what is looked at. One that was
    // marked by an earlier recovery may be found in a chain, or by an entry: an increment brings the mark but not the
    // records that were relinked then, and a checkpoint of the index may be older than that recovery.
    private long NewestThatCounts(long address, long below, ulong hash)
    {
        while (address >= _head)
        {
            if (address >= below) throw _storage.NoRecord(below, 0);
            byte* record = _log.Pointer(address);
            ulong header = RecordHeader.Read(record);
            if (!IsLeftOut(address, header)) break;
            below = address;
            address = MergeRecord.Next(record, header, hash);
        }

        return address;
    }

    private bool IsLater(long address, ulong header) =>
        !MergeRecord.Is(header) && address >= _commit.StartAddress && RecordHeader.VersionCode(header) == _laterCode;

    private bool IsLeftOut(long address, ulong header) =>
        IsLater(address, header) || _storage.IsAbandoned(address, header);

    private void CountIfLater(long address, ulong header)
    {
        if (!IsLater(address, header) || (header & RecordHeader.Invalid) != 0) return;
        Interlocked.Increment(ref _abandonedRecords);
        if (address < _flushedUntil) Volatile.Write(ref _abandonedOnDevice, 1);
    }

    private LogRecoveryResult Conclude()
    {
        long replayed = _commit.EndAddress - Math.Min(_replayFrom, _commit.EndAddress);
        if (_abandonedOnDevice == 0) return new LogRecoveryResult(replayed, _abandonedRecords, null);
        var abandoned = new AbandonedRange(
            _commit.StartAddress, Math.Min(_flushedUntil, _commit.EndAddress), _laterCode);
        _storage.Restore(_storage.Incarnations, [.. _storage.Abandoned, abandoned]);
        return new LogRecoveryResult(replayed, _abandonedRecords, abandoned);
    }
}
