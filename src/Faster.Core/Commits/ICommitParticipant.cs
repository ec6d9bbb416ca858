using Faster.Checkpoints;
using Faster.Log;

namespace Faster.Commits;

/// <summary>A part of a store that takes part in its commits: a log with its index, say (paper 004 §5.3–5.4).</summary>
/// <remarks>
/// Called by the coordinator alone, one call at a time, one commit after another; in a commit in the order of the
/// members. Any call may fail; <see cref="End"/> follows all the same.
/// </remarks>
internal interface ICommitParticipant
{
    /// <summary>Whether a commit is needed for a reason that no session knows: space that only it gives back.</summary>
    bool HasWork { get; }

    /// <summary>Held while the lowest valid address rises, and by a commit while its version is worked at.</summary>
    SemaphoreSlim BeginRising { get; }

    /// <summary>Opened whenever <see cref="IsFrozen"/> may have changed.</summary>
    WaitGate Gate { get; }

    /// <summary>Does what can be done before any operation is concerned.</summary>
    /// <param name="kind">How the version is to be captured.</param>
    /// <param name="withIndex">Whether with a new checkpoint of the index.</param>
    Task PrepareAsync(CommitKind kind, bool withIndex);

    /// <summary>Reads the lowest valid address, while everybody works at the version.</summary>
    void NoteBegin();

    /// <summary>Records where the next version begins, before any operation runs at it.</summary>
    void NoteStart();

    /// <summary>Ends the version, of which no operation is left.</summary>
    void EndVersion(long version);

    /// <summary>
    /// Whether the version becomes immutable and is flushed; else it is written to a file of its own.
    /// </summary>
    bool Folds { get; }

    /// <summary>If it folds: whether no thread can still update the version's records in place.</summary>
    bool IsFrozen { get; }

    /// <summary>Writes the version to a file of its own, if it does not fold.</summary>
    Task WriteAsync();

    /// <summary>Waits until the version is flushed, if it folds.</summary>
    Task FlushAsync();

    /// <summary>Adds what recovery must know to the commit's record.</summary>
    CommitRecord Describe(CommitRecord record);

    /// <summary>Makes durable what was written.</summary>
    void Sync();

    /// <summary>The commit is durable. Does not fail.</summary>
    void OnPublished(CommitRecord record);

    /// <summary>Gives back what no commit that is kept may need, and nobody reads.</summary>
    /// <exception cref="StorageException">It could not; the next commit tries again.</exception>
    void ReleaseSpace();

    /// <summary>Ends a commit, whatever has become of it. Idempotent.</summary>
    void End();

    /// <summary>Writes a checkpoint of the index, which the next commit will name.</summary>
    Task CheckpointIndexAsync();

    /// <summary>The bytes of the last commit's files, besides what was flushed.</summary>
    long BytesWritten { get; }

    /// <summary>Whether the last commit has a checkpoint of the index that the one before had not.</summary>
    bool HasNewIndex { get; }
}
