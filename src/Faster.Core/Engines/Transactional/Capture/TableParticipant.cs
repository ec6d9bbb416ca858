using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Commits;
using Faster.LogCommits;
using Faster.Tables;
using Faster.Threads;

namespace Faster.Engines.Transactional.Capture;

/// <summary>
/// The table of a transactional store as a participant of its commits: writes a file with all records of the version.
/// </summary>
/// <remarks>
/// Invariant: all stamps in the table are of the last 2^15 versions, so that none is taken for a later one's; also
/// where commits fail, which raise the version nevertheless. Used by the coordinator alone.
/// </remarks>
internal sealed class TableParticipant : ICommitParticipant
{
    private const long StampsKept = LockWord.Stamps / 4; // versions after which all of them are renewed

    private readonly CommitFolder _folder;
    private readonly TransactionalStore _store;
    private readonly TableCapture _capture;
    private ChecksummedFileWriter? _writer;
    private FileReference? _file;
    private long _version, _restamped;

    /// <summary>Makes the participant.</summary>
    /// <param name="folder">The store's folder.</param>
    /// <param name="store">The store.</param>
    public TableParticipant(CommitFolder folder, TransactionalStore store)
    {
        (_folder, _store) = (folder, store);
        _capture = new TableCapture(store, copies => TableFile.Write(_writer!, copies));
        _restamped = store.Core.Commits.Current.Version;
    }

    /// <inheritdoc/>
    public long BytesWritten => _file?.Bytes ?? 0;

    /// <inheritdoc/>
    public Task PrepareAsync(CommitKind kind, bool withIndex) =>
        _store.Core.Commits.Current.Version - _restamped < StampsKept
            ? Task.CompletedTask
            : BackgroundTasks.Run(Restamp);

    /// <inheritdoc/>
    public void NoteStart() => _capture.Begin();

    /// <inheritdoc/>
    public void EndVersion(long version) => _version = version;

    /// <inheritdoc/>
    public Task WriteAsync() => BackgroundTasks.Run(() =>
    {
        _writer = TableFile.Create(_folder, _version);
        var pace = new CapturePace(_store.Core.Epochs);
        _capture.Sweep(pace.Rest);
    });

    /// <inheritdoc/>
    public Task CompleteAsync() => BackgroundTasks.Run(() =>
    {
        _capture.Complete();
        _file = TableFile.Complete(_writer!, _version);
        End();
    });

    /// <inheritdoc/>
    public CommitRecord Describe(CommitRecord record) =>
        record.With(new CommittedPart { Name = TableFile.PartName, File = _file });

    /// <inheritdoc/>
    public void Sync()
    {
        // The file is durable since it is complete.
    }

    /// <inheritdoc/>
    public void End()
    {
        _writer?.Dispose();
        _writer = null;
    }

    private void Restamp()
    {
        long version = _store.Core.Commits.Current.Version;
        ulong stamp = LockWord.StampOf(version), from = 0;
        using TransactionalSession session = _store.StartInternal("a commit");
        do from = session.Stamp(from, stamp);
        while (from != 0);
        _store.AbsentKeys.Stamp(stamp);
        _restamped = version;
    }
}
