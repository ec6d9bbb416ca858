using System.Runtime.ExceptionServices;
using Faster.Checkpoints.Snapshots;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Index;
using Faster.Invariants;
using Faster.Log;
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
/// <para>Pages below the head are read, replayed, and dropped. Reading and settling run on several threads: the order
/// of records does not matter to the index, and one page in memory is settled by one thread at a time.</para>
/// <para>Runs before the log is in use and before the store's I/O thread polls the device. Not thread-safe; runs
/// once.</para>
/// </remarks>
internal sealed unsafe class LogRecovery
{
    private readonly EpochTable _epochs;
    private readonly HashIndex _index;
    private readonly PagedLog _log;
    private readonly LogStorage _storage;
    private readonly CommittedLog _commit;
    private readonly byte _laterCode;
    private readonly long _replayFrom;
    private readonly long _head;
    private readonly long _flushedUntil; // the commit's, or the head: up to there its snapshots are written to the log
    private readonly long _readFrom;
    private readonly RecordSettler _settler;
    private readonly PagesInMemory _pages;
    private long _bytesRead;

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
        EpochTable epochs, HashIndex index, PagedLog log, LogStorage storage, HashSeed seed,
        long version, CommittedLog commit, IndexReference? checkpoint, IndexReplay replay)
    {
        _epochs = epochs;
        _index = index;
        _log = log;
        (_storage, _commit) = (storage, commit);
        _laterCode = RecordHeader.CodeOf(version + 1);
        _replayFrom = replay == IndexReplay.None
            ? commit.EndAddress
            : Math.Max(
                checkpoint is null ? 0 : Math.Min(checkpoint.StartAddress, commit.StartAddress), commit.BeginAddress);
        _head = ChooseHead();
        _flushedUntil = Math.Max(commit.FlushedUntilAddress, _head);
        _readFrom = Math.Max(Math.Min(_replayFrom, _head), commit.BeginAddress);
        Invariant.Check(
            commit.BeginAddress <= _head && _head <= Math.Max(commit.EndAddress, PagedLog.FirstAddress)
                && _readFrom <= _head,
            $"Begin ≤ Head ≤ Tail: {commit.BeginAddress}, {_head}, {commit.EndAddress}, read from {_readFrom}");
        _settler = new RecordSettler(
            log, index, storage, seed, commit, _head, _flushedUntil, _replayFrom, _laterCode, replay);
        _pages = new PagesInMemory(log.PageBits, _head, commit.EndAddress);
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
        Load(files, store, bufferBytes, OnRead, ct);
        awaitIndex();
        if (_readFrom < _head || !_pages.AreSettled) Replay(bufferBytes, OnRead, onProgress, ct);
        return Conclude();
    }

    private static int Threads => Math.Clamp(Environment.ProcessorCount, 1, 16);

    // Loads the pages that stay in memory, and settles those that can be, each as soon as it is complete.
    private void Load(StoreFiles files, ulong store, long bufferBytes, Action<long> onRead, CancellationToken ct)
    {
        using var early = new RecoveryThreads<long>(
            (Threads + 1) / 2, (_, page) => _pages.SetSettled(page, _settler.TrySettle(page)), static _ => { });
        void OnLoaded(long from, long to) => _pages.Load(from, to, early.Add);
        void OnPart(int worker, PageLoad part)
        {
            part.DecodeTo(_log.Pointer(part.From));
            OnLoaded(part.From, part.To);
        }

        Stream(_head, _flushedUntil, bufferBytes, OnPart, onRead, ct);
        new SnapshotReader(files, store, _log, onRead, OnLoaded)
            .Load(_commit.Snapshots, _flushedUntil, _commit.EndAddress, ct);
        early.Dispose();
        early.ThrowIfFailed();
    }

    // Replays what does not stay in memory, and settles what is not settled.
    private void Replay(
        long bufferBytes, Action<long> onRead, Action<RecoveryStep, long>? onProgress, CancellationToken ct)
    {
        var replayers = new IndexReplayer[Threads];
        for (int i = 0; i < replayers.Length; i++) replayers[i] = new IndexReplayer(_epochs, _index);
        try
        {
            Stream(_readFrom, _head, bufferBytes, (i, page) => _settler.Replay(replayers[i], page), onRead, ct);
            onProgress?.Invoke(RecoveryStep.ReplayingLog, _bytesRead);
            SettleAll(replayers, ct);
        }
        finally
        {
            foreach (IndexReplayer replayer in replayers) replayer.Dispose();
        }
    }

    private void Stream(
        long from, long to, long bufferBytes, Action<int, PageLoad> handle, Action<long> onRead, CancellationToken ct)
    {
        if (from >= to) return;
        using var stream = new PageStream(_storage, bufferBytes, wholePages: to <= _head);
        stream.Run(from, to, Threads, handle, onRead, ct);
    }

    private long ChooseHead()
    {
        // One page of the window is left free where possible, so that the tail can advance. What only the snapshots
        // hold stays in memory if it fits; otherwise the lower part of it is written to the log.
        long tailPage = _commit.EndAddress >> _log.PageBits, flushed = _commit.FlushedUntilAddress >> _log.PageBits;
        long lowest = tailPage + 2 - _log.ResidentPages;
        long page = flushed < lowest - 1 ? lowest : Math.Min(flushed, lowest);
        page = Math.Max(page, _commit.BeginAddress >> _log.PageBits);
        return Math.Max(page << _log.PageBits, PagedLog.FirstAddress);
    }

    private void SettleAll(IndexReplayer[] replayers, CancellationToken ct)
    {
        long next = (_head >> _log.PageBits) - 1;
        long last = (_commit.EndAddress - 1) >> _log.PageBits;
        void SettleSome(IndexReplayer replayer)
        {
            for (long page; !ct.IsCancellationRequested && (page = Interlocked.Increment(ref next)) <= last;)
                if (!_pages.IsSettled(page)) _settler.Settle(replayer, page);
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

    private LogRecoveryResult Conclude()
    {
        long replayed = _commit.EndAddress - Math.Min(_replayFrom, _commit.EndAddress);
        if (!_settler.HasDiscardedOnDevice) return new LogRecoveryResult(replayed, _settler.DiscardedRecords, null);
        var discarded = new DiscardedRange(
            _commit.StartAddress, Math.Min(_flushedUntil, _commit.EndAddress), _laterCode);
        _storage.Restore(_storage.Incarnations, [.. _storage.Discarded, discarded]);
        return new LogRecoveryResult(replayed, _settler.DiscardedRecords, discarded);
    }
}
