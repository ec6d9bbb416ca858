using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// The log and the index of a store in its commits: captures both, and gives back what no commit that is kept may need
/// (paper 004 §5.3–5.4).
/// </summary>
/// <remarks>
/// Invariant: what a commit that is kept may need of the log stays on the device.
/// <para>Used by the coordinator alone, but for <see cref="HasWork"/> and <see cref="ReleaseSpace"/>.</para>
/// </remarks>
internal sealed class LogParticipant<TProbe> : ICommitParticipant
    where TProbe : struct, IProbe
{
    private const int MostIncrements = 32;
    private const int MostVersionsApart = 200; // codes of versions come round after 255
    private static readonly ByteSize LeastIndexEvery = ByteSize.MiB(64);

    private readonly FasterStore<TProbe> _store;
    private readonly DurableParts<TProbe> _parts;
    private readonly LogVersion<TProbe> _captured;
    private readonly SnapshotWriter<TProbe> _snapshots;
    private readonly BucketHistory<TProbe> _buckets;
    private CommitRecord? _last;               // of this process: increments build on it
    private IndexReference? _index;            // what the last commit names
    private IndexReference? _newIndex;         // what the next one will
    private bool _holdsIndex;                  // so that it is not resized while a commit is made
    private CommitKind _kind;
    private long _version;
    private long _flushedUntil;                // below it the log has what is captured
    private IReadOnlyList<SnapshotReference> _chain = [];
    private long _leastBegin;                  // of the commits that are kept

    /// <summary>Of a store that is new, or has been recovered from a record.</summary>
    public LogParticipant(FasterStore<TProbe> store, DurableParts<TProbe> parts, CommitRecord? recovered)
    {
        _store = store;
        _parts = parts;
        _captured = new LogVersion<TProbe>(parts.Log, store.Commits);
        _snapshots = new SnapshotWriter<TProbe>(
            store.Epochs, parts.Log, parts.Storage, parts.Files, parts.Identity, store.Plan.FlushPart);
        _index = recovered?.Index.Checkpoint;
        _buckets = new BucketHistory<TProbe>(store.Index, recovered?.Index);
        _leastBegin = parts.Catalog.LeastBeginOf(CommittedLog.Main);
        if (recovered is not null) parts.Garbage.Space.HeldFrom(_leastBegin);
    }

    /// <summary>
    /// Whether a commit that is kept needs what has been given up of the log, or none was made yet. Thread-safe.
    /// </summary>
    public bool HasWork => Volatile.Read(ref _leastBegin) < _parts.Log.BeginAddress;

    /// <inheritdoc/>
    public SemaphoreSlim BeginRising => _parts.Garbage.Truncation.Rising;

    /// <inheritdoc/>
    public WaitGate Gate => _parts.Log.Gate;

    /// <inheritdoc/>
    public bool Folds => _kind == CommitKind.FoldOver;

    /// <inheritdoc/>
    public bool IsFrozen => _captured.IsFrozen;

    /// <inheritdoc/>
    public bool HasNewIndex { get; private set; }

    /// <inheritdoc/>
    public long BytesWritten { get; private set; }

    /// <summary>Tries again what could not be flushed, and writes the index if it is time to.</summary>
    /// <inheritdoc/>
    public async Task PrepareAsync(CommitKind kind, bool withIndex)
    {
        (_kind, BytesWritten) = (kind, 0);
        await _parts.Flusher.RetryAsync(CancellationToken.None).ConfigureAwait(false);
        if (_buckets.HasShrunk)
        {
            // A growth beside the commit would have it record the largest size that the index ever had.
            await _store.Index.Exclusion.WaitAsync().ConfigureAwait(false);
            _holdsIndex = true;
        }

        if (!withIndex && !IsIndexDue()) return;
        // What a fold-over will have to flush is flushed while the index is written, so that little is left then.
        if (kind == CommitKind.FoldOver) _ = _parts.Log.FreezeToTail();
        await CheckpointIndexAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async Task CheckpointIndexAsync()
    {
        string name = StoreFileNames.Index(_store.Commits.Current.Version);
        DropNewIndex();
        (IndexReference reference, long buckets) = await IndexCheckpointWriter<TProbe>.WriteAsync(
            _store.Index, _store.Epochs, () => _parts.Log.TailAddress, _parts.Files, name, _parts.Identity,
            _store.Cache, OnIndexBegin, _holdsIndex)
            .ConfigureAwait(false);
        _newIndex = reference;
        _buckets.EndCheckpoint(buckets);
        BytesWritten += reference.Bytes;
    }

    /// <inheritdoc/>
    public void NoteBegin() => _captured.NoteBegin();

    /// <inheritdoc/>
    public void NoteStart() => _captured.NoteStart();

    /// <inheritdoc/>
    public void EndVersion(long version)
    {
        _version = version;
        if (_kind == CommitKind.Incremental && !CanIncrement()) _kind = CommitKind.Snapshot;
        _captured.End(Folds);
    }

    /// <inheritdoc/>
    public async Task WriteAsync()
    {
        (long begin, long end) = (_captured.BeginAddress, _captured.EndAddress);
        _flushedUntil = Math.Clamp(_parts.Log.FlushedUntilAddress, begin, end);
        string name = StoreFileNames.Snapshot(_version);
        bool whole = _kind == CommitKind.Snapshot;
        SnapshotReference snapshot = await Task.Run(() => whole
            ? _snapshots.Write(name, _flushedUntil, end, CancellationToken.None)
            : _snapshots.WriteIncrement(
                name, _flushedUntil, _last!.Log.EndAddress, end, CodesSince(_last.Version, _version),
                CancellationToken.None))
            .ConfigureAwait(false);
        BytesWritten += snapshot.Bytes;
        _chain = whole ? [snapshot] : [.. _last!.Log.Snapshots, snapshot];
    }

    /// <inheritdoc/>
    public async Task FlushAsync()
    {
        (PagedLog<TProbe> log, long end) = (_parts.Log, _captured.EndAddress);
        while (log.FlushedUntilAddress < end)
        {
            await log.Gate.WaitForAsync(
                () => log.FlushedUntilAddress >= end || _parts.Flusher.HasFailed, CancellationToken.None)
                .ConfigureAwait(false);
            await _parts.Flusher.RetryAsync(CancellationToken.None).ConfigureAwait(false);
        }

        (_flushedUntil, _chain) = (end, []);
    }

    /// <inheritdoc/>
    public CommitRecord Describe(CommitRecord record)
    {
        if (!_buckets.Conclude(out long buckets))
        {
            // Larger since: chains that part in the larger index hang together in the smaller one.
            DropNewIndex();
            _index = null;
        }

        (long begin, long end) = (_captured.BeginAddress, _captured.EndAddress);
        var log = new CommittedLog
        {
            Name = CommittedLog.Main,
            BeginAddress = begin,
            FlushedUntilAddress = _flushedUntil,
            StartAddress = _store.Commits.StartAddress,
            EndAddress = end,
            Snapshots = _chain,
            Incarnations = _parts.Storage.Incarnations,
            Abandoned = [.. _parts.Storage.Abandoned.Where(range => range.ToAddress > begin)],
            Ages = _parts.Garbage.Ages.Between(begin, end),
        };
        var index = new CommittedIndex
        {
            Name = CommittedLog.Main, BucketCount = buckets, Checkpoint = _newIndex ?? _index,
        };
        return record with { Kind = _kind, Logs = [.. record.Logs, log], Indexes = [.. record.Indexes, index] };
    }

    /// <inheritdoc/>
    public void Sync() => _parts.Storage.Device.Sync();

    /// <inheritdoc/>
    public void OnPublished(CommitRecord record)
    {
        IndexReference? named = record.Index.Checkpoint;
        HasNewIndex = named is not null && named == _newIndex;
        (_last, _index, _newIndex) = (record, named, null);
        Volatile.Write(ref _leastBegin, _parts.Catalog.LeastBeginOf(CommittedLog.Main));
    }

    /// <summary>The index may be resized.</summary>
    /// <inheritdoc/>
    public void End()
    {
        if (!_holdsIndex) return;
        _holdsIndex = false;
        _store.Index.Exclusion.Release();
    }

    /// <remarks>Thread-safe.</remarks>
    /// <inheritdoc/>
    public void ReleaseSpace() => _parts.Garbage.Space.Release(
        Math.Min(Volatile.Read(ref _leastBegin), _parts.Log.Pins.LowestPinned));

    private void OnIndexBegin()
    {
        _index = null;
        _buckets.BeginCheckpoint();
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
    private bool CanIncrement() =>
        _last is { Log.Snapshots: { Count: > 0 and <= MostIncrements } chain } last
        && _version - last.Version < MostVersionsApart
        && chain.Skip(1).Sum(static increment => increment.Bytes) <= chain[0].Bytes
        && _parts.Log.FlushedUntilAddress < last.Log.EndAddress;

    private static byte[] CodesSince(long last, long version)
    {
        byte[] codes = new byte[version - last];
        for (int i = 0; i < codes.Length; i++) codes[i] = RecordHeader.CodeOf(last + 1 + i);
        return codes;
    }
}
