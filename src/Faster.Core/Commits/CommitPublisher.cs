using Faster.Checkpoints;
using Faster.Devices;

namespace Faster.Commits;

/// <summary>Makes the records of commits durable, and knows whether a sync has failed.</summary>
/// <remarks>
/// Invariants: a record is published only when everything that it names is synced; a failed sync is the last one that
/// is tried. A commit that fails otherwise leaves nothing behind, and the next one covers what it would have.
/// <para>Only the coordinator calls it, one commit at a time; any thread may read <see cref="IsPoisoned"/> and call
/// <see cref="ThrowIfPoisoned"/>.</para>
/// </remarks>
/// <param name="files">The store's files.</param>
/// <param name="catalog">Its commits.</param>
/// <param name="onFault">Hears of what harms no commit.</param>
internal sealed class CommitPublisher(StoreFiles files, CommitCatalog catalog, Action<Exception> onFault)
{
    private volatile StorageException? _poison;

    /// <summary>Whether a sync has failed, so that nothing can be promised any more.</summary>
    public bool IsPoisoned => _poison is not null;

    /// <summary>Refuses to go on after a failed sync.</summary>
    /// <exception cref="StorageException">A sync has failed.</exception>
    public void ThrowIfPoisoned()
    {
        if (_poison is not { } cause) return;
        throw new StorageException(
            $"The store in '{files.Name}' is poisoned: a sync has failed, or its folder is gone, so that what "
            + "was written since may be lost, and no later commit can make up for that. Close the store, repair what "
            + $"failed, and open it again: it goes on from its last commit. What failed: {cause.Message}", cause);
    }

    /// <summary>Makes a commit durable, all of whose parts are written.</summary>
    /// <exception cref="StorageException">It is not known to be durable.</exception>
    public void Publish(CommitRecord record, IReadOnlyList<ICommitParticipant> participants)
    {
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

    /// <summary>What a commit has written is not needed, for it has failed.</summary>
    /// <param name="version">Its version.</param>
    /// <param name="failure">What has failed.</param>
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

    /// <summary>Something has failed; if it was a sync, nothing can be promised any more.</summary>
    public void PoisonIfFinal(Exception failure)
    {
        if (failure is StorageException { MayRetry: false } final) _poison ??= final;
    }
}
