using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Checkpoints.Index;
using Faster.Checkpoints.Snapshots;
using Faster.Commits;
using Faster.Contracts;
using Faster.Log;
using Faster.Log.Records;
using Faster.Store.Opening;
using Faster.Tiers;

namespace Faster.Store.Commits;

/// <summary>
/// The log and the index of a store as a participant of its commits: captures both, and releases the disk space that no
/// kept commit may need (paper 004 §5.3–5.4).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Whatever a kept commit may need of the log stays on the device.</item>
/// </list>
/// <para>Used by the coordinator alone, except for <see cref="HasWork"/> and <see cref="ReleaseSpace"/>.</para>
/// </remarks>
internal sealed class LogParticipant<TProbe> : ICommitParticipant
    where TProbe : struct, IProbe
{
    private const int MaxIncrements = 32;
    private const int MaxVersionsApart = 200; // codes of versions repeat after 255
    private static readonly ByteSize MinIndexEvery = ByteSize.MiB(64);

    private readonly StoreCore<TProbe> _core;
    private readonly DurabilityComponents<TProbe> _parts;
    private readonly LogVersion<TProbe> _captured;
    private readonly SnapshotWriter<TProbe> _snapshots;
    private readonly BucketHistory<TProbe> _buckets;
    private CommitRecord? _last;               // made by this process: increments build on it
    private IndexReference? _index;            // named by the last commit
    private IndexReference? _newIndex;         // the next commit will name it
    private bool _holdsIndex;                  // so that the index is not resized while a commit is made
    private CommitKind _kind;
    private long _version;
    private long _flushedUntil;                // below it the log's own file has what is captured
    private IReadOnlyList<SnapshotReference> _chain = [];
    private long _leastBegin;                  // the lowest begin address of the kept commits

    /// <summary>Makes the participant of a store that is new, or has been recovered from a record.</summary>
    public LogParticipant(DurabilityComponents<TProbe> parts, CommitRecord? recovered)
    {
        _core = parts.Tier.Core;
        _parts = parts;
        _captured = new LogVersion<TProbe>(parts.Log, _core.Commits);
        _snapshots = new SnapshotWriter<TProbe>(
            _core.Epochs, parts.Log, parts.Storage, parts.Files, parts.Identity, _core.MemoryPlan.FlushPart);
        _index = recovered?.Index.Checkpoint;
        _buckets = new BucketHistory<TProbe>(parts.Tier.Index, recovered?.Index);
        _leastBegin = parts.Catalog.MinBeginOf(CommittedLog.Main);
        if (recovered is not null) parts.Reclamation.Space.HeldFrom(_leastBegin);
    }

    /// <summary>
    /// Whether a kept commit holds space of the log that has been truncated since, or no commit was made yet.
    /// Thread-safe.
    /// </summary>
    public bool HasWork => Volatile.Read(ref _leastBegin) < _parts.Log.BeginAddress;

    /// <inheritdoc/>
    public SemaphoreSlim BeginRising => _parts.Reclamation.Truncation.Rising;

    /// <inheritdoc/>
    public WaitGate Gate => _parts.Log.Gate;

    /// <inheritdoc/>
    public bool Folds => _kind == CommitKind.FoldOver;

    /// <inheritdoc/>
    public bool IsImmutable => _captured.IsImmutable;

    /// <inheritdoc/>
    public bool HasNewIndex { get; private set; }

    /// <inheritdoc/>
    public long BytesWritten { get; private set; }

    /// <summary>Retries failed flushes, and writes a checkpoint of the index if one is due.</summary>
    /// <inheritdoc/>
    public async Task PrepareAsync(CommitKind kind, bool withIndex)
    {
        (_kind, BytesWritten) = (kind, 0);
        await _parts.Flusher.RetryAsync(CancellationToken.None).ConfigureAwait(false);
        if (_buckets.HasShrunk)
        {
            // If the index grew beside the commit, the commit would record the largest size that the index ever had.
            await _parts.Tier.Index.Exclusion.WaitAsync().ConfigureAwait(false);
            _holdsIndex = true;
        }

        if (!withIndex && !IsIndexDue()) return;
        // Flushes what a fold-over has to flush while the checkpoint is written, so that little is left to flush later.
        if (kind == CommitKind.FoldOver) _ = _parts.Log.ShiftReadOnlyToTail();
        await CheckpointIndexAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async Task CheckpointIndexAsync()
    {
        string name = StoreFileNames.Index(_core.Commits.Current.Version);
        DropNewIndex();
        (IndexReference reference, long buckets) = await IndexCheckpointWriter<TProbe>.WriteAsync(
            _parts.Tier.Index, _core.Epochs, () => _parts.Log.TailAddress, _parts.Files, name, _parts.Identity,
            _parts.Tier.Cache, OnIndexBegin, _holdsIndex)
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
        SnapshotReference snapshot = await BackgroundThread.Run("Faster snapshot", () => whole
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
            // The index has been larger since the checkpoint: chains separate in the larger index are joined in the
            // smaller one.
            DropNewIndex();
            _index = null;
        }

        (long begin, long end) = (_captured.BeginAddress, _captured.EndAddress);
        var log = new CommittedLog
        {
            Name = CommittedLog.Main,
            BeginAddress = begin,
            FlushedUntilAddress = _flushedUntil,
            StartAddress = _core.Commits.StartAddress,
            EndAddress = end,
            Snapshots = _chain,
            Incarnations = _parts.Storage.Incarnations,
            Discarded = [.. _parts.Storage.Discarded.Where(range => range.ToAddress > begin)],
            Ages = _parts.Reclamation.Ages.Between(begin, end),
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
        Volatile.Write(ref _leastBegin, _parts.Catalog.MinBeginOf(CommittedLog.Main));
    }

    /// <summary>Allows the index to be resized again.</summary>
    /// <inheritdoc/>
    public void End()
    {
        if (!_holdsIndex) return;
        _holdsIndex = false;
        _parts.Tier.Index.Exclusion.Release();
    }

    /// <remarks>Thread-safe.</remarks>
    /// <inheritdoc/>
    public void ReleaseSpace() => _parts.Reclamation.Space.Release(
        Math.Min(Volatile.Read(ref _leastBegin), _parts.Log.Pins.LowestPinned));

    private void OnIndexBegin()
    {
        _index = null;
        _buckets.BeginCheckpoint();
    }

    private bool IsIndexDue()
    {
        long tail = _parts.Log.TailAddress;
        long every = _core.Options.IndexCheckpointEveryBytes.Bytes;
        if (every == 0) every = Math.Max(4 * _parts.Tier.Index.Bytes, MinIndexEvery.Bytes);
        IndexReference? newest = _buckets.HasCheckpoint ? _newIndex ?? _index : null;
        if (newest is null && _buckets.HasShrunk) return true;
        return tail - (newest?.StartAddress ?? _parts.Log.BeginAddress) >= every;
    }

    // Deletes a checkpoint that no commit has named, and that none will name.
    private void DropNewIndex()
    {
        if (_newIndex is not { } dropped) return;
        _newIndex = null;
        _buckets.DropCheckpoint();
        _parts.Files.Delete(dropped.FileName);
    }

    // An increment pays as long as the chain is short, and the increments are not larger than the snapshot they begin
    // with.
    private bool CanIncrement() =>
        _last is { Log.Snapshots: { Count: > 0 and <= MaxIncrements } chain } last
        && _version - last.Version < MaxVersionsApart
        && chain.Skip(1).Sum(static increment => increment.Bytes) <= chain[0].Bytes
        && _parts.Log.FlushedUntilAddress < last.Log.EndAddress;

    private static byte[] CodesSince(long last, long version)
    {
        byte[] codes = new byte[version - last];
        for (int i = 0; i < codes.Length; i++) codes[i] = RecordHeader.CodeOf(last + 1 + i);
        return codes;
    }
}
