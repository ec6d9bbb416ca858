using Faster.Log;
using Faster.Threads;

namespace Faster.Commits;

/// <summary>
/// The last commit of a store that is being closed (<see cref="CommittingStoreOptions.CommitOnDispose"/>).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>It runs after the sessions and the background work have ended, and before any part of the store is closed. So
/// it covers everything, and nothing is done after it.</item>
/// <item>It is tried once.</item>
/// </list>
/// <para>It ends unless the storage stops answering: no session is left to wait for, a failed write of the log is
/// retried once (<see cref="PageFlusher.RetryAsync"/>), all other calls are not retried, and the commit
/// itself is tried once.</para>
/// <para>Used once, by the caller that closes the store.</para>
/// </remarks>
/// <param name="coordinator">Makes the store's commits.</param>
/// <param name="publisher">Knows whether the store is poisoned.</param>
/// <param name="options">The store's options.</param>
/// <param name="folder">The store's folder, for messages.</param>
internal sealed class ClosingCommit(
    CommitCoordinator coordinator, CommitPublisher publisher, StoreOptions options, string folder)
{
    /// <summary>Whether the options ask for a commit, and anything was done since the last one.</summary>
    public bool IsDue => options.CommitOnDispose && coordinator.HasWork;

    /// <summary>Commits if that is due, and closes the coordinator.</summary>
    /// <param name="isIndexHalfResized">
    /// Whether a resize of the index was abandoned because the storage or the memory is full.
    /// </param>
    /// <returns>Why the store is closed without its last commit; null if it has what it needs.</returns>
    public async Task<StorageException?> RunAsync(bool isIndexHalfResized)
    {
        try
        {
            if (IsDue)
            {
                publisher.ThrowIfPoisoned();
                if (isIndexHalfResized) throw new StorageException("The index's resize found no space to end.");
                _ = await coordinator.RequestAsync(options.CommitKind, withIndex: false).Here();
            }

            return null;
        }
        catch (Exception e)
        {
            return Failure(e);
        }
        finally
        {
            await coordinator.CloseAsync().Here();
        }
    }

    private StorageException Failure(Exception cause)
    {
        string durable = coordinator.LastVersion is { } version
            ? $"The last commit known to be durable is of version {version}; the store opens in its state again, and "
                + "what was done since is lost."
            : "No commit before it was durable: everything is lost.";
        return new StorageException(
            $"The store in '{folder}' is closed, but its last commit has failed. {durable} To keep it, commit and "
            + "handle the error before the store is closed (CommitAsync). Repair what failed, and open the store "
            + $"again; disposing of it again does nothing. Cause: {cause.Message}", cause);
    }
}
