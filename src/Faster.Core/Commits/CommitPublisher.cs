using Faster.Checkpoints;
using Faster.Devices.Folders;
using Faster.Invariants;

namespace Faster.Commits;

/// <summary>Makes commit records durable, and remembers a failure that no retry repairs.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A record is published only when everything that it names is synced.</item>
/// <item>After a final failure (a failed sync, a lost folder, a violated invariant, a failed unit) no other sync is
/// tried.</item>
/// <item>A commit that fails otherwise leaves nothing behind, and the next one covers what it would have
/// covered.</item>
/// </list>
/// <para>Only the coordinator calls it, one commit at a time; any thread may read <see cref="IsPoisoned"/> and call
/// <see cref="ThrowIfPoisoned"/>.</para>
/// </remarks>
/// <param name="files">The store's files.</param>
/// <param name="catalog">The store's commits.</param>
/// <param name="onFault">Called with faults that harm no commit.</param>
internal sealed class CommitPublisher(StoreFiles files, CommitCatalog catalog, Action<Exception> onFault)
    : IDisposable
{
    private volatile StorageException? _poison;

    /// <summary>Whether there was a final failure, after which no commit can be guaranteed.</summary>
    public bool IsPoisoned => _poison is not null;

    /// <summary>Throws if there was a final failure.</summary>
    /// <exception cref="StorageException">There was one.</exception>
    public void ThrowIfPoisoned()
    {
        if (_poison is not { } cause) return;
        throw new StorageException(
            $"The store in '{files.Name}' is poisoned: what was written since its last commit may be lost, and no "
            + "later commit can restore it. Close the store, repair what failed, and open it again: it continues from "
            + $"its last commit. Cause: {cause.Message}", cause);
    }

    /// <summary>Makes a commit durable whose parts have all been written.</summary>
    /// <exception cref="StorageException">The commit is not known to be durable.</exception>
    public void Publish(CommitRecord record, IReadOnlyList<ICommitParticipant> participants)
    {
        Invariant.Check(!IsPoisoned, $"nothing is synced for version {record.Version} after a failed sync");
        foreach (ICommitParticipant participant in participants) participant.Sync();
        catalog.Publish(record);
        foreach (ICommitParticipant participant in participants) participant.OnPublished(record);
        try
        {
            catalog.RemoveUnneeded();
            foreach (ICommitParticipant participant in participants) participant.ReleaseSpace();
        }
        catch (StorageException e)
        {
            onFault(e); // the commit stands; the next one tries again
        }
    }

    /// <summary>Closes the catalog's file, after the last commit.</summary>
    public void Dispose() => catalog.Dispose();

    /// <summary>Removes the files of a commit that has failed.</summary>
    /// <param name="version">The commit's version.</param>
    /// <param name="failure">The failure.</param>
    public void OnFailed(long version, Exception failure)
    {
        PoisonIfFinal(failure);
        if (IsPoisoned) return;
        try
        {
            catalog.Discard(version);
        }
        catch (StorageException e)
        {
            onFault(e); // the next commit tries again
        }
    }

    /// <summary>
    /// Poisons the store if a failure is final: that of a sync, a lost folder, a violated invariant, after which
    /// nothing that a commit would capture can be trusted, or a failed unit, which no commit may hold.
    /// </summary>
    public void PoisonIfFinal(Exception failure)
    {
        if (failure is StorageException { MayRetry: false } final) _poison ??= final;
        else if (failure is InvariantException or FasterException { Reason: ErrorReason.UnitFailed })
            _poison ??= new StorageException(failure.Message, failure);
    }
}
