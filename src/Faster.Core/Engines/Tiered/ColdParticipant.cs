using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Commits;
using Faster.Compaction.Batches;
using Faster.HashChunks;
using Faster.Log;
using Faster.LogCommits;
using Faster.Probes;
using Faster.Threads;

namespace Faster.Engines.Tiered;

/// <summary>
/// The cold tier as a participant of commits: the cold log, the log of hash chunks, and their directory, captured as
/// they are before any operation learns of the commit (docs/internals/tiered-commits.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>From the end of <see cref="PrepareAsync"/> to that of <see cref="CaptureFirstAsync"/> no compaction writes
/// into the tier. So the directory, the chunks and the cold log that are captured are of one moment.</item>
/// <item>Whatever a kept commit may need of either log stays on its device.</item>
/// </list>
/// <para>Used by the coordinator alone, except for <see cref="HasWork"/> and <see cref="ReleaseSpace"/>.</para>
/// </remarks>
/// <param name="folder">The folder.</param>
/// <param name="log">The cold log.</param>
/// <param name="chunks">The log of chunks.</param>
/// <param name="directory">The directory of chunks.</param>
/// <param name="pause">Keeps compactions from writing.</param>
/// <param name="state">Knows the version that is being committed.</param>
/// <param name="waits">How a step waits.</param>
/// <param name="recovered">The commit that was recovered, or null.</param>
internal sealed class ColdParticipant(
    CommitFolder folder, DurableLog log, DurableLog chunks, ChunkDirectory directory,
    CopyPause pause, CommitState state, IStepWaits waits, CommitRecord? recovered) : ICommitParticipant
{
    private readonly HeldSpace _heldChunks = new(chunks, folder.Catalog, recovered is not null);
    private CommittedPart? _last = recovered?.PartOf(chunks.Name); // the log of chunks and its directory
    private FileReference? _directory; // of the commit under way; no commit names it yet, unless it is the last one's
    private long _logBegin, _chunksBegin, _logEnd, _chunksEnd;

    /// <summary>The space of the cold log that kept commits may need.</summary>
    public HeldSpace HeldLog { get; } = new(log, folder.Catalog, recovered is not null);

    /// <inheritdoc/>
    public bool HasWork => HeldLog.HasWork || _heldChunks.HasWork;

    /// <inheritdoc/>
    public IReadOnlyList<SemaphoreSlim> BeginsRising => [log.Rising, chunks.Rising];

    /// <summary>Yes: the cold tier is never written to a file of its own; what was captured is immutable.</summary>
    /// <inheritdoc/>
    public bool Folds => true;

    /// <inheritdoc/>
    public long BytesWritten { get; private set; }

    /// <summary>
    /// Retries failed flushes, and pauses compactions. The begins may still rise, because a thread that is amid a page
    /// may wait for the log of chunks to be truncated.
    /// </summary>
    /// <inheritdoc/>
    public async Task PrepareAsync(CommitKind kind, bool withIndex)
    {
        BytesWritten = 0;
        await log.Flusher.RetryAsync(CancellationToken.None).Here();
        await chunks.Flusher.RetryAsync(CancellationToken.None).Here();
        await pause.BeginAsync(waits).Here();
    }

    /// <inheritdoc/>
    public void NoteBegin() => (_logBegin, _chunksBegin) = (log.Pages.BeginAddress, chunks.Pages.BeginAddress);

    /// <inheritdoc/>
    public Task CaptureFirstAsync()
    {
        if (!(Probe.On && Probe.Has(SeededBug.LowerTierCapturedLate))) Capture();
        pause.End();
        return Task.CompletedTask;
    }

    /// <summary>Nothing: it was captured before.</summary>
    /// <inheritdoc/>
    public void EndVersion(long version)
    {
        if (Probe.On && Probe.Has(SeededBug.LowerTierCapturedLate)) Capture();
    }

    /// <inheritdoc/>
    public async Task FlushAsync()
    {
        await log.Flusher.FlushedAsync(_logEnd).Here();
        await chunks.Flusher.FlushedAsync(_chunksEnd).Here();
    }

    /// <inheritdoc/>
    public CommitRecord Describe(CommitRecord record) => record.With(
        log.Describe(_logBegin, _logEnd, _logEnd, _logEnd, []),
        chunks.Describe(_chunksBegin, _chunksEnd, _chunksEnd, _chunksEnd, []) with { File = _directory });

    /// <inheritdoc/>
    public void Sync()
    {
        log.Storage.Device.SyncTyped();
        chunks.Storage.Device.SyncTyped();
    }

    /// <inheritdoc/>
    public void OnPublished(CommitRecord record)
    {
        _last = record.PartOf(chunks.Name);
        HeldLog.OnPublished();
        _heldChunks.OnPublished();
    }

    /// <remarks>Thread-safe.</remarks>
    /// <inheritdoc/>
    public void ReleaseSpace()
    {
        HeldLog.Release();
        _heldChunks.Release();
    }

    /// <summary>Lets compactions go on.</summary>
    /// <inheritdoc/>
    public void End() => pause.End();

    private void Capture()
    {
        DropUnnamed();
        _logEnd = log.Pages.ShiftReadOnlyToTail();
        CaptureIndex();
    }

    // A log of chunks that has not grown has the content of the last commit: a change appends a chunk, because all that
    // was there is immutable. The compaction of that log appends too, and is not paused: what it has moved while the
    // last directory was written has its old place in it, which is right as long as the log's begin has not risen.
    private void CaptureIndex()
    {
        if (_last is { Log: { } last } && chunks.Pages.TailAddress == last.EndAddress
            && _chunksBegin == last.BeginAddress)
        {
            (_directory, _chunksEnd) = (_last.File, last.EndAddress);
            return;
        }

        string name = StoreFileNames.Directory(state.Current.Version);
        _directory = DirectoryFile.Write(folder.Files, name, folder.Identity, directory);
        _chunksEnd = chunks.Pages.ShiftReadOnlyToTail(); // above all that was written
        BytesWritten = _directory.Bytes;
    }

    // Deletes the file of a commit that has failed.
    private void DropUnnamed()
    {
        if (_directory is { } dropped && dropped != _last?.File) folder.Files.Delete(dropped.FileName);
        _directory = null;
    }
}
