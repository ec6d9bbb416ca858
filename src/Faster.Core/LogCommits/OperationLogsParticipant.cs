using Faster.Checkpoints;
using Faster.Commits;
using Faster.OperationLogs;
using Faster.Operations.Journaling;
using Faster.Probes;

namespace Faster.LogCommits;

/// <summary>
/// The operation logs as a participant of commits: a commit names the places in the logs where what it lacks begins,
/// and frees what the older of the two kept commits does not need (docs/internals/each-operation.md).
/// </summary>
/// <remarks>
/// The marks are taken before any operation belongs to the next version: below them no record is of a later version
/// than the commit's. Used by the coordinator alone, except for <see cref="HasWork"/>.
/// </remarks>
/// <param name="logs">What the sessions share of the logs.</param>
/// <param name="file">The file of its logs.</param>
/// <param name="catalog">The commits in the folder.</param>
internal sealed class OperationLogsParticipant(SharedLogs logs, OperationLogFile file, CommitCatalog catalog)
    : ICommitParticipant
{
    private LogMark[] _noted = [];

    /// <summary>
    /// Whether one or two more commits free space that is needed; or the logs have failed, which they tell the store.
    /// </summary>
    public bool HasWork => (logs.Logs.Used != 0 && logs.NeedsCommit) || logs.Logs.Failure is not null;

    /// <inheritdoc/>
    public Task PrepareAsync(CommitKind kind, bool withIndex) =>
        logs.Logs.Failure is { } failure ? Task.FromException(failure) : Task.CompletedTask;

    /// <inheritdoc/>
    public void NoteStart() => _noted = logs.Logs.Mark();

    /// <inheritdoc/>
    public void EndVersion(long version)
    {
    }

    /// <inheritdoc/>
    public CommitRecord Describe(CommitRecord record) => record.With(file.Describe(_noted));

    /// <summary>
    /// Makes the logs durable up to the marks: else a log could go on below a mark after a power cut, and what it got
    /// there would not be found from the mark on.
    /// </summary>
    public void Sync() => logs.Logs.Wait(logs.Logs.TakeTicket());

    /// <inheritdoc/>
    public void OnPublished(CommitRecord record)
    {
        // A kept commit that names another file, or none, needs nothing of this one.
        IReadOnlyList<LogMark> heads = HeadsOf(catalog.Kept, file.Name) ?? _noted;
        if (Probe.On && Probe.Has(SeededBug.OlderMarksFreed)) heads = _noted;
        logs.Free([.. heads]);
    }

    /// <summary>The marks of the oldest kept commit that names a file of logs; null if none does.</summary>
    public static IReadOnlyList<LogMark>? HeadsOf(IReadOnlyList<CommitRecord> kept, string file) => kept
        .SelectMany(static record => record.Parts).LastOrDefault(part => part.File?.FileName == file)?.Marks;
}
