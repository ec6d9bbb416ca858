using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Checkpoints.Snapshots;
using Faster.Commits;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Records;
using Faster.Opening;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.LogCommits;

/// <summary>
/// A log in which operations write, with its hash index, as a participant of its store's commits: captures both, and
/// releases the disk space that no kept commit may need (paper 004 §5.3–5.4).
/// </summary>
/// <remarks>Used by the coordinator alone, except for <see cref="HasWork"/> and <see cref="ReleaseSpace"/>.</remarks>
internal sealed class LogParticipant : ICommitParticipant
{
    private const int MaxIncrements = 32;
    private const long MostHere = 64 << 10;  // bytes that are flushed without the thread that polls the device
    private const int MaxVersionsApart = 200; // codes of versions repeat after 255

    private readonly DurableLog _log;
    private readonly EpochTable _epochs;
    private readonly LogVersion _captured;
    private readonly SnapshotWriter _snapshots;
    private readonly IndexCapture _index;
    private CommittedLog? _last;               // made by this process: increments build on it
    private long _lastVersion;
    private CommitKind _kind;
    private bool _flushesHere;                 // the sink was not woken: this flushes
    private long _version;
    private long _flushedUntil;                // below it the log's own file has what is captured
    private IReadOnlyList<FileReference> _chain = [];

    /// <summary>Makes the participant of a log that is new, or has been recovered from a record.</summary>
    public LogParticipant(CommitFolder folder, Tier tier, DurableLog log, CommitRecord? recovered)
    {
        _log = log;
        _epochs = tier.Core.Epochs;
        _captured = new LogVersion(log.Pages);
        _snapshots = new SnapshotWriter(
            tier.Core.Epochs, log.Pages, log.Storage, folder.Files, folder.Identity, tier.Core.MemoryPlan.FlushPart);
        _index = new IndexCapture(folder, tier, recovered?.IndexOf(log.Name));
        Held = new HeldSpace(log, folder.Catalog, recovered is not null);
    }

    /// <summary>The space of the log that kept commits may need.</summary>
    public HeldSpace Held { get; }

    /// <summary>
    /// Whether a kept commit holds space of the log that has been truncated since, or no commit was made yet.
    /// Thread-safe.
    /// </summary>
    public bool HasWork => Held.HasWork;

    /// <inheritdoc/>
    public IReadOnlyList<SemaphoreSlim> BeginsRising => [_log.Rising];

    /// <inheritdoc/>
    public WaitGate Gate => _log.Pages.Gate;

    /// <inheritdoc/>
    public bool Folds => _kind == CommitKind.FoldOver;

    /// <inheritdoc/>
    public bool IsImmutable => _captured.IsImmutable;

    /// <inheritdoc/>
    public bool HasNewIndex => _index.HasNew;

    /// <inheritdoc/>
    public long BytesWritten { get; private set; }

    /// <summary>Retries failed flushes, and writes a checkpoint of the index if one is due.</summary>
    /// <inheritdoc/>
    public async Task PrepareAsync(CommitKind kind, bool withIndex)
    {
        (_kind, BytesWritten) = (kind, 0);
        await _log.Flusher.RetryAsync(CancellationToken.None).Here();
        await _index.HoldAsync().Here();
        if (!withIndex && !_index.IsDue) return;
        // Beside a store at rest, flushes what a fold-over has to flush while the checkpoint is written. Sessions would
        // copy what they update for as long as that takes.
        if (kind == CommitKind.FoldOver && !IsAtWork()) _ = _log.Pages.ShiftReadOnlyToTail();
        await CheckpointIndexAsync().Here();
    }

    /// <inheritdoc/>
    public async Task CheckpointIndexAsync()
    {
        await _index.WriteAsync().Here();
        BytesWritten += _index.NewBytes;
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
        _flushesHere = Folds && _log.Pages.TailAddress - _log.Pages.FlushedUntilAddress <= MostHere;
        _captured.End(Folds, wakes: !_flushesHere);
    }

    /// <inheritdoc/>
    public async Task WriteAsync()
    {
        (long begin, long end) = (_captured.BeginAddress, _captured.EndAddress);
        _flushedUntil = Math.Clamp(_log.Pages.FlushedUntilAddress, begin, end);
        string name = StoreFileNames.Snapshot(_version);
        bool whole = _kind == CommitKind.Snapshot;
        FileReference snapshot = await BackgroundTasks.Run(() => whole
            ? _snapshots.Write(name, _flushedUntil, end, CancellationToken.None)
            : _snapshots.WriteIncrement(
                name, _flushedUntil, _last!.EndAddress, end, CodesSince(_lastVersion, _version),
                CancellationToken.None))
            .Here();
        BytesWritten += snapshot.Bytes;
        _chain = whole ? [snapshot] : [.. _last!.Snapshots, snapshot];
    }

    /// <inheritdoc/>
    public async Task FlushAsync()
    {
        if (_flushesHere && BackgroundTasks.IsCurrent)
        {
            _flushesHere = false;
            _log.Flusher.FlushHere(_captured.EndAddress);
        }

        WakeFlusher();
        await _log.Flusher.FlushedAsync(_captured.EndAddress).Here();
        (_flushedUntil, _chain) = (_captured.EndAddress, []);
    }

    /// <inheritdoc/>
    public CommitRecord Describe(CommitRecord record)
    {
        CommittedPart log = _log.Describe(
            _captured.BeginAddress, _captured.StartAddress, _captured.EndAddress, _flushedUntil, _chain);
        return record.With(log with { Index = _index.Describe() }) with { Kind = _kind };
    }

    /// <inheritdoc/>
    public void Sync() => _log.Storage.Device.SyncTyped();

    /// <inheritdoc/>
    public void OnPublished(CommitRecord record)
    {
        (_last, _lastVersion) = (record.LogOf(_log.Name), record.Version);
        _index.OnPublished(record.IndexOf(_log.Name).Checkpoint);
        Held.OnPublished();
    }

    /// <summary>Allows the index to be resized again.</summary>
    /// <inheritdoc/>
    public void End()
    {
        _index.End();
        WakeFlusher();
    }

    /// <remarks>Thread-safe.</remarks>
    /// <inheritdoc/>
    public void ReleaseSpace() => Held.Release();

    // If it was not woken when the version ended, and this has not flushed since.
    private void WakeFlusher()
    {
        if (!_flushesHere) return;
        _flushesHere = false;
        _log.Flusher.Wake();
    }

    // Whether a session is in an epoch, at one of a few looks.
    private bool IsAtWork()
    {
        for (int look = 0; look < 8; look++)
        {
            if (_epochs.IsEntered) return true;
            Thread.SpinWait(16);
        }

        return false;
    }

    // An increment pays as long as the chain is short, and the increments are not larger than the snapshot they begin
    // with.
    private bool CanIncrement() =>
        _last is { Snapshots: { Count: > 0 and <= MaxIncrements } chain } last
        && _version - _lastVersion < MaxVersionsApart
        && chain.Skip(1).Sum(static increment => increment.Bytes) <= chain[0].Bytes
        && _log.Pages.FlushedUntilAddress < last.EndAddress;

    private static byte[] CodesSince(long last, long version)
    {
        byte[] codes = new byte[version - last];
        for (int i = 0; i < codes.Length; i++) codes[i] = RecordHeader.CodeOf(last + 1 + i);
        return codes;
    }
}
