using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Devices;
using Faster.Log;

namespace Faster;

/// <summary>
/// Makes a version durable: captures the log and, now and then, the index, syncs, and publishes the commit's record
/// (paper 004 §5.3–5.4).
/// </summary>
/// <remarks>
/// Invariants: a record is published only when everything that it names is synced; a failed sync is the last one that
/// is tried. A commit that fails otherwise leaves nothing behind, and the next one covers what it would have. What a
/// commit that is kept may need of the log stays on the device.
/// <para>Used by the coordinator alone, one commit after another.</para>
/// </remarks>
internal sealed class CommitWriter<TProbe>
    where TProbe : struct, IProbe
{
    private const int MostIncrements = 32;
    private const int MostVersionsApart = 200; // codes of versions come round after 255
    private static readonly ByteSize LeastIndexEvery = ByteSize.MiB(64);

    private readonly FasterStore<TProbe> _store;
    private readonly DurableParts<TProbe> _parts;
    private readonly SnapshotWriter<TProbe> _snapshots;
    private readonly BucketHistory<TProbe> _buckets;
    private CommitRecord? _last;               // of this process: increments build on it
    private IndexReference? _index;            // what the last commit names
    private IndexReference? _newIndex;         // what the next one will
    private bool _holdsIndex;                  // so that it is not resized while a commit is made
    private StorageException? _poison;
    private long _begin;                       // of the log, before the version that is committed began to end
    private long _leastBegin;                  // of the commits that are kept

    /// <summary>A writer for a store that is new, or has been recovered from a record.</summary>
    public CommitWriter(FasterStore<TProbe> store, DurableParts<TProbe> parts, CommitRecord? recovered)
    {
        _store = store;
        _parts = parts;
        _snapshots = new SnapshotWriter<TProbe>(
            store.Epochs, parts.Log, parts.Storage, parts.Files, parts.Identity, store.Plan.FlushPart);
        _index = recovered?.Index;
        _buckets = new BucketHistory<TProbe>(store.Index, recovered);
        _leastBegin = parts.Catalog.LeastBegin;
        if (recovered is not null) parts.Garbage.Space.HeldFrom(_leastBegin);
    }

    /// <summary>
    /// Whether a commit that is kept needs what has been given up of the log, or none was made yet. Thread-safe.
    /// </summary>
    public bool OwesSpace => Volatile.Read(ref _leastBegin) < _parts.Log.BeginAddress;

    /// <summary>The log.</summary>
    public PagedLog<TProbe> Log => _parts.Log;

    /// <summary>Whether a sync has failed, so that nothing can be promised any more.</summary>
    public bool IsPoisoned => _poison is not null;

    /// <summary>Whether the last commit has a checkpoint of the index that the one before had not.</summary>
    public bool HasNewIndex { get; private set; }

    /// <summary>The bytes of the last commit's files beside the log.</summary>
    public long BytesWritten { get; private set; }

    /// <summary>Refuses to go on after a failed sync.</summary>
    /// <exception cref="StorageException">A sync has failed.</exception>
    public void ThrowIfPoisoned()
    {
        if (_poison is not { } cause) return;
        throw new StorageException(
            $"The store in '{_parts.Files.Name}' is poisoned: a sync has failed, or its folder is gone, so that what "
            + "was written since may be lost, and no later commit can make up for that. Close the store, repair what "
            + $"failed, and open it again: it goes on from its last commit. What failed: {cause.Message}", cause);
    }

    /// <summary>
    /// What can be done before any operation is concerned: old failures, and the index. <see cref="End"/> follows,
    /// also if it fails.
    /// </summary>
    public async Task BeginAsync(CommitKind kind, bool withIndex)
    {
        BytesWritten = 0;
        await _parts.Flusher.RetryAsync(CancellationToken.None).ConfigureAwait(false);
        if (_buckets.HasShrunk)
        {
            // A growth beside the commit would have it record the largest size that the index ever had.
            await _store.Index.Exclusion.WaitAsync().ConfigureAwait(false);
            _holdsIndex = true;
        }

        if (withIndex || IsIndexDue())
        {
            // What a fold-over will have to flush is flushed while the index is written, so that little is left then.
            if (kind == CommitKind.FoldOver) _ = _parts.Log.FreezeToTail();
            await WriteIndexAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Ends a commit, whatever has become of it: the index may be resized. Idempotent.</summary>
    public void End()
    {
        if (!_holdsIndex) return;
        _holdsIndex = false;
        _store.Index.Exclusion.Release();
    }

    /// <summary>
    /// Reads where the log begins, while everybody works at the version: the copies for whose sake the begin has risen
    /// belong to it.
    /// </summary>
    public void NoteBegin() => _begin = _parts.Log.BeginAddress;

    /// <summary>Writes a checkpoint of the index, which the next commit will name.</summary>
    public async Task WriteIndexAsync()
    {
        ThrowIfPoisoned();
        string name = StoreFileNames.Index(_store.Commits.Current.Version);
        DropNewIndex();
        try
        {
            (IndexReference reference, long buckets) = await IndexCheckpointWriter<TProbe>.WriteAsync(
                _store.Index, _store.Epochs, () => _parts.Log.TailAddress, _parts.Files, name, _parts.Identity,
                _store.Cache, OnIndexBegin, _holdsIndex)
                .ConfigureAwait(false);
            _newIndex = reference;
            _buckets.EndCheckpoint(buckets);
            BytesWritten += reference.Bytes;
        }
        catch (StorageException e)
        {
            PoisonIfFinal(e);
            throw;
        }
    }

    private void OnIndexBegin()
    {
        _index = null;
        _buckets.BeginCheckpoint();
    }

    /// <summary>Captures what belongs to a version, and publishes the commit.</summary>
    /// <param name="version">The version; no operation of it is left.</param>
    /// <param name="kind">How the log is to be captured.</param>
    /// <param name="points">The commit points of all sessions.</param>
    /// <param name="phases">Takes the store to rest, when all is captured.</param>
    /// <exception cref="StorageException">The commit is not durable.</exception>
    public async Task<CommitRecord> CaptureAsync(
        long version, CommitKind kind, IReadOnlyList<CommitPoint> points, CommitPhases<TProbe> phases)
    {
        if (kind == CommitKind.Incremental && !CanIncrement(version)) kind = CommitKind.Snapshot;
        long end = phases.EndVersion(folds: kind == CommitKind.FoldOver);
        try
        {
            CommitRecord record = kind == CommitKind.FoldOver
                ? await FoldOverAsync(version, end, points, phases).ConfigureAwait(false)
                : await SnapshotAsync(version, kind, end, points, phases).ConfigureAwait(false);
            await Task.Run(() => Publish(record)).ConfigureAwait(false);
            HasNewIndex = record.Index is not null && record.Index == _newIndex;
            (_last, _index, _newIndex) = (record, record.Index, null);
            return record;
        }
        catch (Exception e)
        {
            if (e is StorageException failure) PoisonIfFinal(failure);
            if (!IsPoisoned) Discard(version);
            throw;
        }
    }

    private void Discard(long version)
    {
        try
        {
            _parts.Catalog.Discard(version);
        }
        catch (StorageException e)
        {
            _store.OnFault(e); // the next commit tries again
        }
    }

    private async Task<CommitRecord> FoldOverAsync(
        long version, long end, IReadOnlyList<CommitPoint> points, CommitPhases<TProbe> phases)
    {
        PagedLog<TProbe> log = _parts.Log;
        await phases.FoldAsync(end).ConfigureAwait(false);
        while (log.FlushedUntilAddress < end)
        {
            await log.Gate.WaitForAsync(
                () => log.FlushedUntilAddress >= end || _parts.Flusher.HasFailed, CancellationToken.None)
                .ConfigureAwait(false);
            await _parts.Flusher.RetryAsync(CancellationToken.None).ConfigureAwait(false);
        }

        return MakeRecord(version, CommitKind.FoldOver, end, end, [], points);
    }

    private async Task<CommitRecord> SnapshotAsync(
        long version, CommitKind kind, long end, IReadOnlyList<CommitPoint> points, CommitPhases<TProbe> phases)
    {
        await phases.WrittenAsync().ConfigureAwait(false);
        long from = Math.Clamp(_parts.Log.FlushedUntilAddress, _begin, end);
        string name = StoreFileNames.Snapshot(version);
        bool whole = kind == CommitKind.Snapshot;
        SnapshotReference snapshot = await Task.Run(() => whole
            ? _snapshots.Write(name, from, end, CancellationToken.None)
            : _snapshots.WriteIncrement(
                name, from, _last!.EndAddress, end, CodesSince(_last.Version, version), CancellationToken.None))
            .ConfigureAwait(false);
        await phases.RestAsync(frozen: false).ConfigureAwait(false);
        BytesWritten += snapshot.Bytes;
        IReadOnlyList<SnapshotReference> chain = whole ? [snapshot] : [.. _last!.Snapshots, snapshot];
        return MakeRecord(version, kind, end, from, chain, points);
    }

    private CommitRecord MakeRecord(
        long version, CommitKind kind, long end, long flushedUntil, IReadOnlyList<SnapshotReference> snapshots,
        IReadOnlyList<CommitPoint> points)
    {
        if (!_buckets.Conclude(out long buckets))
        {
            // Larger since: chains that part in the larger index hang together in the smaller one.
            DropNewIndex();
            _index = null;
        }

        return new CommitRecord
        {
            Version = version,
            Kind = kind,
            BeginAddress = _begin,
            FlushedUntilAddress = flushedUntil,
            StartAddress = _store.Commits.StartAddress,
            EndAddress = end,
            BucketCount = buckets,
            Index = _newIndex ?? _index,
            Snapshots = snapshots,
            Incarnations = _parts.Storage.Incarnations,
            Abandoned = [.. _parts.Storage.Abandoned.Where(range => range.ToAddress > _begin)],
            Ages = _parts.Garbage.Ages.Between(_begin, end),
            Clock = Math.Max(_store.Clock.Now, 0), // after every operation of the commit has ended
            Sessions = [.. points.Where(static point => point.SessionName is not null)],
        };
    }

    /// <summary>Gives back what no commit that is kept may need, and nobody reads.</summary>
    /// <exception cref="StorageException">A file could not be deleted.</exception>
    public void ReleaseSpace() => _parts.Garbage.Space.Release(
        Math.Min(Volatile.Read(ref _leastBegin), _parts.Log.Pins.LowestPinned));

    private void Publish(CommitRecord record)
    {
        _parts.Storage.Device.Sync();
        _parts.Catalog.Publish(record);
        Volatile.Write(ref _leastBegin, _parts.Catalog.LeastBegin);
        try
        {
            _parts.Catalog.RemoveUnneeded();
            ReleaseSpace();
        }
        catch (StorageException e)
        {
            _store.OnFault(e); // the commit stands; the next one tries again
        }
    }

    private bool IsIndexDue()
    {
        long tail = _parts.Log.TailAddress;
        long every = _store.Options.IndexCheckpointEveryBytes.Bytes;
        if (every == 0) every = Math.Max(4 * _store.Index.Bytes, LeastIndexEvery.Bytes);
        IndexReference? newest = _buckets.HasCheckpoint ? _newIndex ?? _index : null;
        if (newest is null && _buckets.HasShrunk) return true;
        return tail - (newest?.StartAddress ?? _parts.Log.BeginAddress) >= every;
    }

    // A checkpoint that no commit has named, and none will.
    private void DropNewIndex()
    {
        if (_newIndex is not { } dropped) return;
        _newIndex = null;
        _buckets.DropCheckpoint();
        _parts.Files.Delete(dropped.FileName);
    }

    // An increment pays as long as the chain is short and not larger than the snapshot that it begins with.
    private bool CanIncrement(long version) =>
        _last is { Snapshots: { Count: > 0 and <= MostIncrements } chain } last
        && version - last.Version < MostVersionsApart
        && chain.Skip(1).Sum(static increment => increment.Bytes) <= chain[0].Bytes
        && _parts.Log.FlushedUntilAddress < last.EndAddress;

    private static byte[] CodesSince(long last, long version)
    {
        byte[] codes = new byte[version - last];
        for (int i = 0; i < codes.Length; i++) codes[i] = RecordHeader.CodeOf(last + 1 + i);
        return codes;
    }

    private void PoisonIfFinal(StorageException e)
    {
        if (!e.MayRetry) _poison ??= e;
    }
}
