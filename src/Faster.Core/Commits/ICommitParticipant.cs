using Faster.Checkpoints;
using Faster.Log;

namespace Faster.Commits;

/// <summary>
/// A part of a store that commits capture: a log with its index, or a table in memory (paper 004 §5.3–5.4).
/// </summary>
/// <remarks>
/// Called by the coordinator alone, one call at a time, one commit after another. Within a commit, the members are
/// called in the order in which they are declared. Any call may fail; <see cref="End"/> follows in any case. What only
/// a log has is nothing by default.
/// </remarks>
internal interface ICommitParticipant
{
    /// <summary>
    /// Whether a commit is needed for a reason that no session knows: disk space that only a commit releases.
    /// </summary>
    bool HasWork => false;

    /// <summary>
    /// Each held while the begin address of a log rises, and by a commit until its version is complete.
    /// </summary>
    IReadOnlyList<SemaphoreSlim> BeginsRising => [];

    /// <summary>Signaled whenever <see cref="IsImmutable"/> may have changed; null if it never changes.</summary>
    WaitGate? Gate => null;

    /// <summary>Does what can be done before any operation is affected.</summary>
    /// <param name="kind">How to capture the version.</param>
    /// <param name="withIndex">Whether to write a new checkpoint of the index.</param>
    Task PrepareAsync(CommitKind kind, bool withIndex) => Task.CompletedTask;

    /// <summary>Records the log's begin address, while all operations still belong to the version.</summary>
    void NoteBegin()
    {
    }

    /// <summary>
    /// Captures what operations do not write, such as the cold tier, before any session learns of the commit
    /// (docs/internals/tiered-commits.md).
    /// </summary>
    Task CaptureFirstAsync() => Task.CompletedTask;

    /// <summary>Records where the next version begins, before any operation belongs to it.</summary>
    void NoteStart()
    {
    }

    /// <summary>Ends the version; no operation of it is left.</summary>
    void EndVersion(long version);

    /// <summary>
    /// Whether the version becomes immutable and is flushed (fold-over). Otherwise it is written to a file of its own.
    /// </summary>
    bool Folds => false;

    /// <summary>If <see cref="Folds"/>: whether no thread can update the version's records in place any more.</summary>
    bool IsImmutable => true;

    /// <summary>Writes the version to a file of its own; called unless <see cref="Folds"/>.</summary>
    Task WriteAsync() => Task.CompletedTask;

    /// <summary>
    /// Completes the file, when no session is left that has seen the version incomplete; called unless
    /// <see cref="Folds"/>.
    /// </summary>
    Task CompleteAsync() => Task.CompletedTask;

    /// <summary>Waits until the version is flushed; called if <see cref="Folds"/>.</summary>
    Task FlushAsync() => Task.CompletedTask;

    /// <summary>Adds what recovery must know of this part to the commit's record.</summary>
    CommitRecord Describe(CommitRecord record);

    /// <summary>Makes what was written durable.</summary>
    void Sync();

    /// <summary>Called when the commit is durable. Does not fail.</summary>
    void OnPublished(CommitRecord record)
    {
    }

    /// <summary>Releases disk space that no kept commit may need, and that is not being read.</summary>
    /// <exception cref="StorageException">The space can't be released; the next commit tries again.</exception>
    void ReleaseSpace()
    {
    }

    /// <summary>Ends a commit, whether it was made or failed. Idempotent.</summary>
    void End()
    {
    }

    /// <summary>Writes a checkpoint of the index, which the next commit names.</summary>
    Task CheckpointIndexAsync() => Task.CompletedTask;

    /// <summary>The number of bytes of the last commit's files, without what was flushed.</summary>
    long BytesWritten => 0;

    /// <summary>
    /// Whether the last commit names a checkpoint of the index that the commit before it did not name.
    /// </summary>
    bool HasNewIndex => false;
}
